/** Servers of a chaos run's own, which it may crash and start again; the shared ones are nobody's to stop. */

import { Client as PostgresClient } from 'pg';
import { startOwnTemporal } from './own-temporal';

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
  const temporal = await startOwnTemporal();
  return {
    temporalAddress: temporal.address,
    crashPostgres: () => crashBackend(databaseUrl),
    restartTemporal: temporal.restart,
    close: temporal.close,
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
