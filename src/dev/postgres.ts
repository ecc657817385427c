/** The embedded Postgres: made once in its folder, started, stopped; its data stays. */

import { join } from 'node:path';
import { Client } from 'pg';
import { type ManagedProcess, startProcess } from '../util/managed-process';
import { findPostgresBinaries } from './postgres-binaries';
import { ensureCluster, PASSWORD, POSTGRES_ENVIRONMENT, SUPERUSER } from './postgres-cluster';
import { findPostgresFolder } from './postgres-folder';
import { findOrCreatePostgresUser } from './postgres-user';
import type { Print } from './print';
import { waitForProcess } from './wait-for-process';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
const MAX_CONNECTIONS = 200;
const DATABASE = 'solidloop';

export interface EmbeddedPostgresOptions {
  readonly dataFolder: string;
  readonly port: number;
  readonly print: Print;
  /** False for tests: the files need not survive a power cut. @default true */
  readonly durable?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Told of the process as soon as it runs, before it is ready. */
  readonly onProcess: (process: ManagedProcess) => Promise<void>;
}

export interface EmbeddedPostgres {
  readonly url: string;
  /** Where the cluster is; not always below the data folder. */
  readonly folder: string;
}

/**
 * Resolves when the server answers and its database exists. The process given to `onProcess` is the caller's to stop.
 * @throws DevStackError with the end of the server's log
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataFolder, port, print, signal } = options;
  const user = await findOrCreatePostgresUser(print);
  const binaries = await findPostgresBinaries(user, print);
  const folder = await findPostgresFolder(dataFolder, user, print);
  const cluster = join(folder, 'data');
  await ensureCluster({ cluster, binaries, user, print, signal });
  const server = await startProcess({
    command: binaries.postgres,
    args: toServerArguments(cluster, options),
    logFile: join(dataFolder, 'postgres.log'),
    cwd: folder,
    user,
    environment: POSTGRES_ENVIRONMENT,
    // "Fast": open transactions are rolled back, connections closed.
    stopSignal: 'SIGINT',
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  await options.onProcess(server);
  const isReady = async (): Promise<boolean> => (await query(urlOf(port, 'postgres'), 'select 1')) === 1;
  await waitForProcess({ process: server, title: 'Postgres', isReady, timeoutMs: START_TIMEOUT_MS, signal });
  await createDatabase(port);
  return { url: urlOf(port, DATABASE), folder };
}

const urlOf = (port: number, database: string): string => `postgresql://${SUPERUSER}:${PASSWORD}@127.0.0.1:${port}/${database}`;

function toServerArguments(cluster: string, { port, durable = true }: EmbeddedPostgresOptions): readonly string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: String(MAX_CONNECTIONS),
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  return ['-D', cluster, '-p', String(port), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

async function createDatabase(port: number): Promise<void> {
  const found = await query(urlOf(port, 'postgres'), `select 1 from pg_database where datname = '${DATABASE}'`);
  if (found === 0) await query(urlOf(port, 'postgres'), `create database ${DATABASE}`);
}

/** Answers the number of rows. */
async function query(url: string, statement: string): Promise<number> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    return (await client.query(statement)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
