/** Retention by age and kind of row. */

import { sql } from 'kysely';
import { prune, type PruneAges } from '../../../src/db/loops/prune';
import { insertEvent } from '../../../src/db/repositories/events.repository';
import type { LoopId } from '../../../src/domain/ids';
import { createRedactor } from '../../../src/events/redact';
import { WireLog } from '../../../src/events/wire-recorder';
import { silentLogger } from '../../../src/util/logger';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventRows, expectNothingWritten, openTestLoop, putAtRest } from '../../support/loops';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  for (const table of ['loops', 'wire_messages', 'live_parts', 'reconciler_runs'] as const) await database.db.deleteFrom(table).execute();
});

const DAY = 86_400;
const NOTHING = { loops: 0, wireEvents: 0, wireMessages: 0, events: 0, reconcilerRuns: 0, liveParts: 0 };
const ago = (days: number) => sql<Date>`clock_timestamp() - make_interval(days => ${days})`;

/** A loop with a request, a control event and a live part, all so old. */
async function agedLoop(days: number, isEnded = true): Promise<LoopId> {
  const { db } = database;
  const loopId = await openTestLoop(db);
  const log = new WireLog({ db, redactor: createRedactor(), logger: silentLogger });
  await log.recorderFor({ loopId }).start({
    kind: 'llm-request',
    name: 'm',
    method: 'POST',
    url: 'http://host',
    headers: {},
    parameters: { messages: [] },
    messages: [{ role: 'user', content: `of ${loopId}` }],
  });
  await insertEvent(db, { loopId, kind: 'control', name: 'pause' });
  await db
    .insertInto('live_parts')
    .values({ loop_id: loopId, generation: '1', offset: 0, parts: '[]', created_at: ago(days) })
    .execute();
  if (isEnded) await putAtRest(db, loopId, { status: 'completed' });
  await db
    .updateTable('events')
    .set({ created_at: ago(days) })
    .where('loop_id', '=', loopId)
    .execute();
  await db
    .updateTable('loops')
    .set({ status_changed_at: ago(days) })
    .where('id', '=', loopId)
    .execute();
  await db
    .updateTable('wire_messages')
    .set({ created_at: ago(days) })
    .execute();
  await db
    .insertInto('reconciler_runs')
    .values({ started_at: ago(days) })
    .execute();
  return loopId;
}

const run = (ages: PruneAges, dryRun = false) => prune(database.db, ages, { dryRun });
const loopIds = async () => (await database.db.selectFrom('loops').select('id').orderBy('id').execute()).map((row) => row.id);

it('deletes nothing of a kind without an age', async () => {
  await agedLoop(400);
  expect(await expectNothingWritten(database.db, () => run({}))).toEqual(NOTHING);
});

it('counts what it would delete, and writes nothing', async () => {
  await agedLoop(400);
  await agedLoop(1);
  const ages = { wire: 30 * DAY, live: 3_600, events: 90 * DAY, loops: 365 * DAY };
  expect(await expectNothingWritten(database.db, () => run(ages, true))).toEqual({
    loops: 1,
    wireEvents: 1,
    wireMessages: 0,
    events: 1,
    reconcilerRuns: 1,
    liveParts: 2,
  });
});

it('each kind of row goes at its own age', async () => {
  const [old, young] = [await agedLoop(60), await agedLoop(10)];
  expect(await run({ wire: 30 * DAY, live: 20 * DAY, events: 90 * DAY, loops: 365 * DAY })).toEqual({
    ...NOTHING,
    wireEvents: 1,
    wireMessages: 1,
    liveParts: 1,
  });
  expect((await eventRows(database.db, old)).map(({ kind }) => kind)).toEqual(['control']);
  expect((await eventRows(database.db, young)).map(({ kind }) => kind)).toEqual(['llm-request', 'control']);
  expect(await run({ events: 30 * DAY })).toEqual({ ...NOTHING, events: 1, reconcilerRuns: 1 });
  expect(await eventRows(database.db, old)).toEqual([]);
});

it('old loops go with all their rows, live ones never', async () => {
  const [, live, young] = [await agedLoop(400), await agedLoop(400, false), await agedLoop(10)];
  expect(await run({ loops: 365 * DAY })).toEqual({ ...NOTHING, loops: 1, wireMessages: 1 });
  expect(await loopIds()).toEqual([live, young]);
  expect(await database.db.selectFrom('wire_messages').select('body').execute()).toHaveLength(2);
});
