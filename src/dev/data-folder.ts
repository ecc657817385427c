/** The folder in which the stack keeps its data, logs and lock. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../domain/errors';
import { DevStackError } from './dev-stack-error';

/** @throws DevStackError if it cannot be made or written */
export async function createDataFolder(dataFolder: string): Promise<void> {
  const probe = join(dataFolder, `.probe-${process.pid}`);
  try {
    await mkdir(dataFolder, { recursive: true });
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new DevStackError(
      `the data folder ${dataFolder} cannot be written (${messageOf(error)}): make it writable, or name another one with SOLIDLOOP_DATA`,
      {
        cause: error,
      },
    );
  }
}
