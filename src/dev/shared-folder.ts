/** Where root keeps what the Postgres user must reach and cannot reach in the project: a clone below /root is closed to it. */

import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DevStackError } from './dev-stack-error';

const SHARED_FOLDER = '/var/lib/solidloop';

/**
 * A folder that belongs to root and that everybody may enter; made when missing.
 * @throws DevStackError if it is not root's or cannot be made
 */
export async function createSharedFolder(name: string): Promise<string> {
  const folder = join(SHARED_FOLDER, name);
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new DevStackError(`the folder ${folder} cannot be made: clone the project where other users may enter, or set DATABASE_URL`, {
      cause: error,
    });
  }
  const { uid } = await lstat(SHARED_FOLDER);
  if (uid !== 0) throw new DevStackError(`${SHARED_FOLDER} belongs to user ${uid}, not to root: remove it, or set DATABASE_URL`);
  return folder;
}
