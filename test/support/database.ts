/** A database of its own for each test file: made from a migrated template, dropped at the end. */

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createDatabase, type Database } from '../../src/db/database';
import { migrateToLatest } from '../../src/db/migrate';

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

/** An empty database without tables. */
export async function createEmptyDatabase(): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  const name = `solidloop_test_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${name}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(`drop database if exists ${name} with (force)`) };
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
