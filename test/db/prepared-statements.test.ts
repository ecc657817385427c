/** Statements that are planned once, and what a migration under them does. */

import { sql } from 'kysely';
import { createDatabase, type Database } from '../../src/db/database';
import { getLoop } from '../../src/db/repositories/loops.repository';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { openTestLoop } from '../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase({ poolSize: 1 });
});
afterAll(() => test.drop());

async function preparedNames(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements order by name`.execute(db);
  return rows.map((row) => row.name);
}

it('prepares a statement once for a connection, whatever its values', async () => {
  const loopId = await openTestLoop(test.db);
  await getLoop(test.db, loopId);
  const before = await preparedNames(test.db);
  await getLoop(test.db, loopId);
  await getLoop(test.db, await openTestLoop(test.db));
  expect(await preparedNames(test.db)).toEqual(before);
  expect(before.length).toBeGreaterThan(0);
  expect(before.every((name) => /^solid_loop_\d+$/.test(name))).toBe(true);
});

it('R24: a migration under a prepared statement is retryable, and the next connection plans anew', async () => {
  const loopId = await openTestLoop(test.db);
  await getLoop(test.db, loopId);
  await sql`alter table solid_loop.loops add column added_later text`.execute(test.db);
  await expect(getLoop(test.db, loopId)).rejects.toMatchObject({ code: 'DatabaseUnavailable' });
  expect(await getLoop(test.db, loopId)).toMatchObject({ id: loopId });
});

it('prepares nothing where a pooler does not keep it', async () => {
  const pooled = createDatabase({
    connectionString: test.url,
    poolSize: 1,
    preparesStatements: false,
    onIdleError: (error) => {
      throw error;
    },
  });
  await getLoop(pooled, await openTestLoop(pooled));
  expect(await preparedNames(pooled)).toEqual([]);
  await pooled.destroy();
});
