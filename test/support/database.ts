/** A database of its own for each test file: made from a migrated template, dropped at the end. */

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createDatabase, type Database } from '../../src/db/database';
import { migrateToLatest } from '../../src/db/migrate';
import { waitUntil } from './wait-until';

export interface TestDatabase {
  readonly db: Database;
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** Where the tests' server is; set by the global set-up. */
export function serverUrl(): string {
  const url = process.env.DATABASE_URL;
  if (url === undefined) throw new Error('DATABASE_URL is not set: the global set-up of the tests did not run');
  return url;
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

const CLOSING_LIMIT_MS = 5_000;

/** Connections that are being closed get the time to: a forced end of theirs would be an error of a test that has passed. */
async function dropWhenQuiet(name: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    const isQuiet = async (): Promise<boolean> =>
      (await client.query('select from pg_stat_activity where datname = $1', [name])).rowCount === 0;
    const limit = Date.now() + CLOSING_LIMIT_MS;
    await waitUntil('the end of all connections', async () => (await isQuiet()) || Date.now() > limit);
    await client.query(`drop database if exists ${name} with (force)`);
  } finally {
    await client.end();
  }
}

/** An empty database without tables. */
export async function createEmptyDatabase(): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  const name = `solidloop_test_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${name}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => dropWhenQuiet(name) };
}

/** A migrated database. Idle errors fail loudly unless the test cuts connections itself. */
export async function createTestDatabase(
  options: { readonly poolSize?: number; readonly onIdleError?: (error: Error) => void } = {},
): Promise<TestDatabase> {
  const { url, drop } = await createEmptyDatabase();
  const db = createDatabase({
    connectionString: url,
    onIdleError:
      options.onIdleError ??
      ((error) => {
        throw error;
      }),
    ...(options.poolSize === undefined ? {} : { poolSize: options.poolSize }),
  });
  await migrateToLatest(db);
  return {
    db,
    url,
    drop: async () => {
      await db.destroy();
      await drop();
    },
  };
}
