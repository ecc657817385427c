/** The folder in which the stack keeps its data, logs and lock. */

import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../domain/errors';
import { errorCode } from '../util/error-code';
import { DevStackError } from './dev-stack-error';

/** @throws DevStackError if it cannot be made or written */
export async function createDataFolder(dataFolder: string): Promise<void> {
  const probe = join(dataFolder, `.probe-${process.pid}`);
  try {
    await makeFolder(dataFolder);
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

/** Node's own recursive mkdir never ends where a folder exists and none can be made in it, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (!existsSync(dirname(folder))) await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
}
