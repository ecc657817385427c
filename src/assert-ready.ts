/** What a worker checks once before it takes work: tables, connections, search attributes; each fault says what to do. */

import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import type { Database } from './db/database';
import { schemaState } from './db/migrate';
import { messageOf, SolidLoopError } from './domain/errors';
import type { Logger } from './util/logger';

export interface ReadinessOptions {
  readonly db: Database;
  readonly client: Client;
  readonly poolSize: number;
  readonly maxConcurrentSteps: number;
  readonly logger: Logger;
}

export const SEARCH_ATTRIBUTES = ['SolidLoopAgent', 'SolidLoopStatus', 'SolidLoopSubject'] as const;

/** Connections that a worker needs beside its pool: one renews, one listens. */
const OWN_CONNECTIONS = 2;
/** A step holds a connection for milliseconds; with fewer than one for so many steps, claims begin to wait. */
const STEPS_A_CONNECTION = 20;

/** @throws DatabaseUnavailable, SchemaMismatch, ConfigError */
export async function assertReady({
  db,
  client,
  poolSize,
  maxConcurrentSteps,
  logger,
}: ReadinessOptions): Promise<{ readonly hasSearchAttributes: boolean }> {
  await assertConnections(db, poolSize);
  await assertSchema(db);
  if (poolSize * STEPS_A_CONNECTION < maxConcurrentSteps)
    logger.warn({ poolSize, maxConcurrentSteps }, 'the pool is small for so many steps at a time: claims may wait');
  const hasSearchAttributes = await hasAllSearchAttributes(client);
  if (!hasSearchAttributes)
    logger.warn({ names: SEARCH_ATTRIBUTES }, 'search attributes are not registered, so none are set; `solidloop setup` registers them');
  return { hasSearchAttributes };
}

async function assertConnections(db: Database, poolSize: number): Promise<void> {
  const { rows } = await sql<{ max: string }>`select current_setting('max_connections') as max`.execute(db).catch((error: unknown) => {
    throw new SolidLoopError('DatabaseUnavailable', `Postgres does not answer: ${messageOf(error)}; check DATABASE_URL`, { cause: error });
  });
  const max = Number(rows[0]?.max);
  if (poolSize + OWN_CONNECTIONS <= max) return;
  throw new SolidLoopError(
    'ConfigError',
    `a pool of ${poolSize} and ${OWN_CONNECTIONS} own connections are more than the server's max_connections (${max}); lower SOLIDLOOP_POOL_SIZE`,
    {
      field: 'SOLIDLOOP_POOL_SIZE',
    },
  );
}

async function assertSchema(db: Database): Promise<void> {
  const state = await schemaState(db);
  if (state === 'current') return;
  const what =
    state === 'older' ? 'are older than this code; run `solidloop migrate`' : 'are newer than this code; deploy the newer worker';
  throw new SolidLoopError('SchemaMismatch', `the tables ${what}`);
}

async function hasAllSearchAttributes(client: Client): Promise<boolean> {
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace: client.options.namespace });
  return SEARCH_ATTRIBUTES.every((name) => customAttributes?.[name] !== undefined);
}
