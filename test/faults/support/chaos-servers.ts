/** Servers of a chaos run's own, which it may crash and start again; the shared ones are nobody's to stop. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as PostgresClient } from 'pg';
import { startTemporal } from '../../../src/dev/temporal';
import { findFreePort } from '../../../src/util/free-port';
import type { ManagedProcess } from '../../../src/util/managed-process';

export interface ChaosServers {
  /** host:port */
  readonly temporalAddress: string;
  /** SIGKILL of a backend: the server ends every session at once, recovers from its log, and takes connections again. */
  readonly crashPostgres: () => Promise<void>;
  /** SIGKILL of Temporal's server, and another one on its data. */
  readonly restartTemporal: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @param databaseUrl of a server that belongs to this run, as its superuser */
export async function openChaosServers(databaseUrl: string): Promise<ChaosServers> {
  const folder = mkdtempSync(join(tmpdir(), 'solidloop-chaos-'));
  const port = await findFreePort();
  const processes: ManagedProcess[] = [];
  let restarting: Promise<void> | undefined;
  const start = () =>
    startTemporal({
      cli: { command: process.env.TEMPORAL_CLI ?? 'temporal', leadingArguments: [] },
      dataFolder: folder,
      port,
      onProcess: async (server) => void processes.push(server),
    });
  const restart = async (): Promise<void> => {
    process.kill(processes.at(-1)?.pid ?? 0, 'SIGKILL');
    await start();
    restarting = undefined;
  };
  const { address } = await start();
  return {
    temporalAddress: address,
    crashPostgres: () => crashBackend(databaseUrl),
    restartTemporal: () => (restarting ??= restart()),
    close: async () => {
      await Promise.all(processes.map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The program's parent is the backend that runs the statement. */
async function crashBackend(connectionString: string): Promise<void> {
  const client = new PostgresClient({ connectionString });
  client.on('error', () => undefined); // it is its own end that it hears of
  try {
    await client.connect();
    await client.query(`copy (select 1) to program 'kill -9 $PPID'`);
  } catch {
    return; // it ended, or the server is still recovering from the last crash
  } finally {
    await client.end().catch(() => undefined);
  }
  throw new Error('Postgres did not crash; the run needs a server of its own, as its superuser');
}
