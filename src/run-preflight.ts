/** Opens what a preflight needs, and closes it. */

import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Agent } from './agents/agent';
import { createDatabase } from './db/database';
import { messageOf, SolidLoopError } from './domain/errors';
import { preflight, type PreflightReport } from './preflight';

export interface PreflightAddresses {
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly taskQueue: string;
}

/** @throws TemporalUnavailable, DatabaseUnavailable */
export async function runPreflight(addresses: PreflightAddresses, agents: readonly Agent[]): Promise<PreflightReport> {
  const { databaseUrl: connectionString, temporalAddress: address, namespace, taskQueue } = addresses;
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
  const connection = await Connection.connect({ address }).catch((error: unknown) => {
    throw new SolidLoopError('TemporalUnavailable', `Temporal does not answer at ${address}: ${messageOf(error)}; is it running?`, {
      cause: error,
    });
  });
  const db = createDatabase({ connectionString, poolSize: 1, applicationName: 'solidloop-preflight', onIdleError: () => undefined });
  try {
    return await preflight({ client: new Client({ connection, namespace }), db, agents, taskQueue });
  } finally {
    await Promise.all([db.destroy(), connection.close()]);
  }
}
