import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createRateGovernor } from '../../src/db/turns/rate-governor';
import { createDatabase } from '../../src/db/database';
import { findToolResult } from '../../src/db/tool-calls/read-tool-result';
import { toId } from '../../src/domain/ids';
import { createTestDatabase, type TestDatabase } from '../support/database';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function minuteOfDatabase(): Promise<string> {
  const { rows } = await sql<{ minute: string }>`select date_trunc('minute', clock_timestamp())::text as minute`.execute(database.db);
  return rows[0]?.minute ?? '';
}

/** Runs with a fresh key, again where the minute ended in between. */
async function withinOneMinute<Value>(run: (key: string) => Promise<Value>): Promise<Value> {
  for (;;) {
    const before = await minuteOfDatabase();
    const value = await run(`model ${randomUUID()}`);
    if ((await minuteOfDatabase()) === before) return value;
  }
}

describe('the rate governor', () => {
  test('R24: without a database it says so: that is no failure of the turn', async () => {
    const db = createDatabase({ connectionString: 'postgresql://nobody@127.0.0.1:1/none', onIdleError: () => undefined });
    const governor = createRateGovernor(db);
    await expect(governor.reserve('model', { requestsPerMinute: 1 })).rejects.toMatchObject({ code: 'DatabaseUnavailable' });
    await expect(governor.settle('model', 1)).rejects.toMatchObject({ code: 'DatabaseUnavailable' });
    await expect(findToolResult(db, { loopId: toId('1'), callId: toId('1') })).rejects.toMatchObject({ code: 'DatabaseUnavailable' });
    await db.destroy();
  });

  test('R46: requests beyond the limit of a minute are told to wait for the next one', async () => {
    const governor = createRateGovernor(database.db);
    const [first, second, third] = await withinOneMinute(async (key) => [
      await governor.reserve(key, { requestsPerMinute: 2 }),
      await governor.reserve(key, { requestsPerMinute: 2 }),
      await governor.reserve(key, { requestsPerMinute: 2 }),
    ]);
    expect([first, second]).toEqual([0, 0]);
    expect(third).toBeGreaterThan(0);
    expect(third).toBeLessThanOrEqual(60_000);
  });

  test('R46: many workers at once take exactly the places that there are', async () => {
    const workers = Array.from({ length: 40 }, () => createRateGovernor(database.db));
    const waits = await withinOneMinute((key) => Promise.all(workers.map((governor) => governor.reserve(key, { requestsPerMinute: 7 }))));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(7);
  });

  test('R46: tokens that were spent count against the minute', async () => {
    const governor = createRateGovernor(database.db);
    const [before, after] = await withinOneMinute(async (key) => {
      const first = await governor.reserve(key, { tokensPerMinute: 100 });
      await governor.settle(key, 60);
      await governor.settle(key, 40);
      return [first, await governor.reserve(key, { tokensPerMinute: 100 })];
    });
    expect(before).toBe(0);
    expect(after).toBeGreaterThan(0);
  });

  test('R46: other models do not wait', async () => {
    const governor = createRateGovernor(database.db);
    const wait = await withinOneMinute(async (key) => {
      await governor.reserve(key, { requestsPerMinute: 1 });
      return governor.reserve(`${key} other`, { requestsPerMinute: 1 });
    });
    expect(wait).toBe(0);
  });

  test('R46: old minutes are swept away', async () => {
    const governor = createRateGovernor(database.db);
    await sql`insert into solid_loop.rate_windows (model_key, window_start) values ('old', clock_timestamp() - interval '2 hours')`.execute(
      database.db,
    );
    await governor.reserve('old', {});
    const { rows } = await sql<{ count: string }>`select count(*) as count from solid_loop.rate_windows where model_key = 'old'`.execute(
      database.db,
    );
    expect(rows[0]?.count).toBe('1');
  });
});
