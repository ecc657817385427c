/** Brings the tables to the newest version, or back. Safe to run many times at once: an advisory lock lets one do the work. */

import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Kysely, type Migration, type MigrationProvider, Migrator, NO_MIGRATIONS, sql } from 'kysely';
import { messageOf, SolidLoopError } from '../domain/errors';

const MIGRATION_FILE = /^(\d{4}_[a-z0-9_]+)\.up\.sql$/;

export interface MigrationOutcome {
  /** Names of the migrations that this run executed, in order; empty where there was nothing to do. */
  readonly executed: readonly string[];
}

/** The folder of the SQL files, beside the sources or beside the built code. */
const migrationsFolder = (): string => resolve(__dirname, '..', '..', 'migrations');

/** @throws SchemaMismatch where a file fails: the whole run is rolled back */
export async function migrateToLatest<Schema>(db: Kysely<Schema>): Promise<MigrationOutcome> {
  return run(db, (migrator) => migrator.migrateToLatest());
}

/** Takes back every migration. All data of the schema is lost. */
export async function migrateToNothing<Schema>(db: Kysely<Schema>): Promise<MigrationOutcome> {
  return run(db, (migrator) => migrator.migrateTo(NO_MIGRATIONS));
}

/** Whether the tables are those this code was written for. */
export async function schemaState<Schema>(db: Kysely<Schema>): Promise<'current' | 'older' | 'newer'> {
  const known = (await readMigrationNames()).toSorted();
  const { rows } = await sql<{ name: string }>`select name from solid_loop.migrations order by name`.execute(db).catch((error: unknown) => {
    if (isMissingTable(error)) return { rows: [] };
    throw error;
  });
  const applied = rows.map((row) => row.name);
  if (applied.some((name) => !known.includes(name))) return 'newer';
  return applied.length === known.length ? 'current' : 'older';
}

async function run<Schema>(
  db: Kysely<Schema>,
  action: (migrator: Migrator) => ReturnType<Migrator['migrateToLatest']>,
): Promise<MigrationOutcome> {
  await sql`create schema if not exists solid_loop`.execute(db).catch((error: unknown) => {
    if (!isConcurrentCreation(error)) throw error;
  });
  const migrator = new Migrator({
    db: db.withoutPlugins(),
    provider: sqlFiles,
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
    migrationTableSchema: 'solid_loop',
  });
  const { error, results = [] } = await action(migrator);
  if (error !== undefined) {
    const failed = results.find((result) => result.status === 'Error')?.migrationName;
    throw new SolidLoopError('SchemaMismatch', `migration ${failed ?? 'of the tables'} failed and was rolled back: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return { executed: results.map((result) => result.migrationName) };
}

const sqlFiles: MigrationProvider = {
  async getMigrations() {
    const names = await readMigrationNames();
    const entries = await Promise.all(names.map(async (name) => [name, await readMigration(name)] as const));
    return Object.fromEntries(entries);
  },
};

async function readMigrationNames(): Promise<string[]> {
  const files = await readdir(migrationsFolder());
  return files.flatMap((file) => MIGRATION_FILE.exec(file)?.[1] ?? []);
}

async function readMigration(name: string): Promise<Migration> {
  const read = (direction: 'up' | 'down') => readFile(join(migrationsFolder(), `${name}.${direction}.sql`), 'utf8');
  const [up, down] = await Promise.all([read('up'), read('down')]);
  return { up: async (db) => void (await sql.raw(up).execute(db)), down: async (db) => void (await sql.raw(down).execute(db)) };
}

const sqlState = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
const isMissingTable = (error: unknown): boolean => ['42P01', '3F000'].includes(String(sqlState(error)));
/** Two `create schema if not exists` at once: the loser gets a unique violation, and the schema is there. */
const isConcurrentCreation = (error: unknown): boolean => ['23505', '42P06'].includes(String(sqlState(error)));
