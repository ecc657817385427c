/** The files of the embedded cluster: made once, by the Postgres version that then owns them. */

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../util/error-code';
import type { ProcessUser } from '../util/process-user';
import { runProcess } from '../util/run-process';
import { DevStackError } from './dev-stack-error';
import type { PostgresBinaries } from './postgres-binaries';
import type { Print } from './print';

export const SUPERUSER = 'postgres';
/** Known to everybody: the server listens on the loopback address only and holds development data. */
export const PASSWORD = 'postgres';

/** Not this process' environment: variables such as PGDATA and PGOPTIONS would change the server. */
export const POSTGRES_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' };

/** The built-in locale sorts the same on every machine and needs none of the system's. */
const INITDB_ARGUMENTS = [
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-sync',
  '--no-instructions',
];

export interface ClusterOptions {
  readonly cluster: string;
  readonly binaries: PostgresBinaries;
  readonly user: ProcessUser | undefined;
  readonly print: Print;
  readonly signal: AbortSignal | undefined;
}

/** @throws DevStackError if the files belong to another version or cannot be made */
export async function ensureCluster(options: ClusterOptions): Promise<void> {
  if (await hasCluster(options.cluster, options.binaries)) return;
  options.print('Postgres: making an empty database cluster');
  await initialiseCluster(options);
}

async function hasCluster(cluster: string, { postgres }: PostgresBinaries): Promise<boolean> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (version === undefined) return false;
  const { stdout } = await runProcess(postgres, ['--version'], { cwd: '/' });
  const installed = /\d+/.exec(stdout)?.[0];
  if (version.trim() === installed) return true;
  throw new DevStackError(
    `the data in ${cluster} belongs to Postgres ${version.trim()}, the installed one is ${installed ?? stdout.trim()}: move it with pg_dump, or remove the folder to start empty`,
  );
}

/** Made beside and then renamed, so that a start that is killed half-way leaves no half a cluster. */
async function initialiseCluster({ cluster, binaries, user, signal }: ClusterOptions): Promise<void> {
  const unfinished = `${cluster}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const passwordFile = join(dirname(cluster), 'password');
  await writeFile(passwordFile, `${PASSWORD}\n`);
  const { exitCode, stderr, stdout } = await runProcess(
    binaries.initdb,
    [`--pgdata=${unfinished}`, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, ...INITDB_ARGUMENTS],
    { user, cwd: dirname(cluster), environment: POSTGRES_ENVIRONMENT, signal },
  );
  await rm(passwordFile);
  if (exitCode !== 0) throw new DevStackError(`Postgres could not make its cluster in ${cluster}: ${(stderr || stdout).trim()}`);
  await rename(unfinished, cluster);
}
