/** What metrics say of all loops, from the tables. */

import { sql } from 'kysely';
import { readLoopGauges } from '../../../src/db/loops/read-loop-gauges';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { acceptedCall, loopInToolCall, loopInToolPhase, loopInTurn, openTestLoop, pauseTestLoop, putAtRest } from '../../support/loops';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const ago = (seconds: number) => sql<Date>`clock_timestamp() - make_interval(secs => ${seconds})`;
const age = (loopId: string, seconds: number) =>
  database.db
    .updateTable('loops')
    .set({ updated_at: ago(seconds), renewed_at: ago(seconds), status_changed_at: ago(seconds) })
    .where('id', '=', loopId)
    .execute();

it('counts live loops by status and ended ones of the last hour, and finds the oldest that nobody holds', async () => {
  expect(await readLoopGauges(database.db)).toEqual({
    loops: { init: 0, queued: 0, running: 0, paused: 0, completed: 0, failed: 0, cancelled: 0 },
    oldestStuckSeconds: 0,
    overdueWakes: 0,
    reconcilerAgeSeconds: null,
  });
  const { loopId: inTurn } = await loopInTurn(database.db);
  const { loopId: inCall } = await loopInToolCall(database.db, [acceptedCall('add')]);
  const paused = await openTestLoop(database.db);
  await pauseTestLoop(database.db, paused);
  const [ended, longEnded] = [await openTestLoop(database.db), await openTestLoop(database.db)];
  for (const loopId of [ended, longEnded]) await putAtRest(database.db, loopId, { status: 'completed' });
  for (const loopId of [inTurn, inCall, paused, longEnded]) await age(loopId, 4_000);
  const { loopId: waiting } = await loopInToolPhase(database.db, [acceptedCall('add')]);
  await age(waiting, 200);
  await database.db
    .updateTable('loops')
    .set({ wake_due_at: ago(20) })
    .where('id', '=', paused)
    .execute();
  await database.db
    .insertInto('reconciler_runs')
    .values({ started_at: ago(50) })
    .execute();

  const gauges = await readLoopGauges(database.db);
  expect(gauges.loops).toEqual({ init: 0, queued: 0, running: 3, paused: 1, completed: 1, failed: 0, cancelled: 0 });
  expect(gauges.oldestStuckSeconds).toBeCloseTo(200, -1);
  expect(gauges.overdueWakes).toBe(1);
  expect(gauges.reconcilerAgeSeconds).toBeCloseTo(50, -1);
});
