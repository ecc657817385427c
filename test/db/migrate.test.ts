/** The tables: made, made again, taken back, made by many at once, and what the code believes of them. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { createDatabase, type Database } from '../../src/db/database';
import { migrateToLatest, migrateToNothing, schemaState } from '../../src/db/migrate';
import { createEmptyDatabase } from '../support/database';

const GENERATED = resolve(__dirname, '../../src/db/tables/generated.ts');
const CODEGEN = resolve(__dirname, '../../node_modules/.bin/kysely-codegen');
const ALL = ['0001_loops'];

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let db: Database;
const open = (): Database =>
  createDatabase({
    connectionString: database.url,
    onIdleError: (error) => {
      throw error;
    },
  });
beforeEach(async () => {
  database = await createEmptyDatabase();
  db = open();
});
afterEach(async () => {
  await db.destroy();
  await database.drop();
});

/** Tables, views and types of the schema, without the migrator's own. */
async function objects(): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select cast(c.relkind as text) || ' ' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'solid_loop' and c.relname not like 'migrations%'
    union all select 't ' || t.typname from pg_type t join pg_namespace n on n.oid = t.typnamespace where n.nspname = 'solid_loop' and t.typtype = 'e'
    order by 1`.execute(db);
  return rows.map((row) => row.name);
}

it('makes the tables from nothing, and has nothing to do a second time', async () => {
  expect(await schemaState(db)).toBe('older');
  expect(await migrateToLatest(db)).toEqual({ executed: ALL });
  expect(await schemaState(db)).toBe('current');
  expect(await migrateToLatest(db)).toEqual({ executed: [] });
});

it('goes up, down to nothing, and up to the same again', async () => {
  await migrateToLatest(db);
  const made = await objects();
  expect(made).toContain('r loops');
  await migrateToNothing(db);
  expect(await objects()).toEqual([]);
  await migrateToLatest(db);
  expect(await objects()).toEqual(made);
});

it('lets one of ten at once do the work', async () => {
  const databases = Array.from({ length: 10 }, open);
  const outcomes = await Promise.all(databases.map((each) => migrateToLatest(each)));
  await Promise.all(databases.map((each) => each.destroy()));
  expect(outcomes.flatMap((outcome) => outcome.executed)).toEqual(ALL);
  expect(await schemaState(db)).toBe('current');
});

it('says that the tables are newer than the code', async () => {
  await migrateToLatest(db);
  await sql`insert into solid_loop.migrations (name, timestamp) values ('9999_later', '')`.execute(db);
  expect(await schemaState(db)).toBe('newer');
});

it('R8: makes one installation id, and only ever one', async () => {
  await migrateToLatest(db);
  expect(await db.selectFrom('installation').select('id').execute()).toEqual([{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown }]);
  await expect(db.insertInto('installation').defaultValues().execute()).rejects.toMatchObject({ code: '23505' });
});

it('has the tables that the generated types speak of', async () => {
  await migrateToLatest(db);
  const folder = await mkdtemp(join(tmpdir(), 'solidloop-codegen-'));
  const outFile = join(folder, 'generated.ts');
  const options = [
    '--dialect',
    'postgres',
    '--default-schema',
    'solid_loop',
    '--include-pattern',
    'solid_loop.*',
    '--exclude-pattern',
    'solid_loop.migrations*',
  ];
  await promisify(execFile)(process.execPath, [CODEGEN, '--url', database.url, ...options, '--out-file', outFile]);
  expect(await readFile(GENERATED, 'utf8')).toBe(await readFile(outFile, 'utf8'));
  await rm(folder, { recursive: true });
});
