/** Where the embedded cluster's files are: in the data folder, or, if Postgres' user cannot enter that, in a place that it can. */

import { createHash } from 'node:crypto';
import { chown, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../util/error-code';
import type { ProcessUser } from '../util/process-user';
import { canEnter } from './postgres-user';
import type { Print } from './print';
import { createSharedFolder } from './shared-folder';

const LOCATION_FILE = 'postgres.location';
const HASH_LENGTH = 16;

/** A folder that belongs to the user and holds the cluster in `data`. The same one at every start of the same data folder. */
export async function findPostgresFolder(dataFolder: string, user: ProcessUser | undefined, print: Print): Promise<string> {
  const folder = (await findRecordedFolder(dataFolder)) ?? (await chooseFolder(dataFolder, user, print));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  return folder;
}

async function chooseFolder(dataFolder: string, user: ProcessUser | undefined, print: Print): Promise<string> {
  if (user === undefined || (await canEnter(dataFolder, user))) return join(dataFolder, 'postgres');
  const hash = createHash('sha256')
    .update(await realpath(dataFolder))
    .digest('hex')
    .slice(0, HASH_LENGTH);
  const folder = join(await createSharedFolder(hash), 'postgres');
  print(`Postgres: the user that runs it cannot enter ${dataFolder}; its data is in ${folder}`);
  await writeFile(join(dataFolder, LOCATION_FILE), `${folder}\n`);
  return folder;
}

/** Removes the cluster with its data, wherever it is. It must not run. */
export async function removePostgresFolder(dataFolder: string): Promise<void> {
  const recorded = await findRecordedFolder(dataFolder);
  await rm(recorded === undefined ? join(dataFolder, 'postgres') : dirname(recorded), { recursive: true, force: true });
}

async function findRecordedFolder(dataFolder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataFolder, LOCATION_FILE), 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
