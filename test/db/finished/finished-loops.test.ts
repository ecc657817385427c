/** Which ends of loops are still to be told, and to whom. */

import { sql } from 'kysely';
import { findFinishedLoop, findUntoldLoops, markFinishTold, noteNotTold, noteTold } from '../../../src/db/loops/finished-loops';
import { reconcile } from '../../../src/db/reconcile/reconcile';
import { setLoopGoing } from '../../../src/db/loops/set-loop-going';
import { inTransaction } from '../../../src/db/transaction';
import type { LoopId } from '../../../src/domain/ids';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { FakeTemporal } from '../../support/fake-temporal';
import { loopRow, openTestLoop, putAtRest } from '../../support/loops';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.db.deleteFrom('loops').execute());

async function endedLoop(secondsAgo = 0): Promise<LoopId> {
  const loopId = await openTestLoop(database.db);
  await putAtRest(database.db, loopId, { status: 'completed' });
  await database.db
    .updateTable('loops')
    .set({ status_changed_at: sql<Date>`clock_timestamp() - make_interval(secs => ${secondsAgo})` })
    .where('id', '=', loopId)
    .execute();
  return loopId;
}

const untold = (namespaceId = 'namespace-1', agents = ['librarian']) => findUntoldLoops(database.db, { namespaceId, agents });

it('R47: an end is there to be told until all were told, and again after a reopen', async () => {
  const loopId = await endedLoop();
  expect(await findFinishedLoop(database.db, loopId)).toMatchObject({ answer: null, told: [] });
  await noteTold(database.db, (await findFinishedLoop(database.db, loopId))!.loop, 'webhook');
  expect((await findFinishedLoop(database.db, loopId))?.told).toEqual(['webhook']);
  await markFinishTold(database.db, loopId, (await loopRow(database.db, loopId)).generation as never);
  expect(await findFinishedLoop(database.db, loopId)).toBeUndefined();
  await inTransaction(database.db, (trx) => setLoopGoing(trx, loopId));
  expect(await findFinishedLoop(database.db, loopId)).toBeUndefined();
  await putAtRest(database.db, loopId, { status: 'completed' });
  expect(await findFinishedLoop(database.db, loopId)).toMatchObject({ told: [] });
});

it('R47: a receiver that takes an end only after the loop has gone on and ended again is still told of the new one', async () => {
  const loopId = await endedLoop();
  const first = (await findFinishedLoop(database.db, loopId))!.loop;
  await inTransaction(database.db, (trx) => setLoopGoing(trx, loopId));
  await putAtRest(database.db, loopId, { status: 'completed' });
  await noteTold(database.db, first, 'webhook');
  expect(await findFinishedLoop(database.db, loopId)).toMatchObject({ told: [] });
});

it('R47: a loop that goes on since then is not marked', async () => {
  const loopId = await endedLoop();
  const { generation } = await loopRow(database.db, loopId);
  await inTransaction(database.db, (trx) => setLoopGoing(trx, loopId));
  await markFinishTold(database.db, loopId, generation as never);
  expect((await loopRow(database.db, loopId)).finished_notified_at).toBeNull();
});

it('R47, R70, R71: the reconciler looks for ends of its own namespace and agents, not for young or forgotten ones', async () => {
  const loopId = await endedLoop(400);
  await endedLoop(10);
  await endedLoop(4 * 86_400);
  expect(await untold()).toEqual([loopId]);
  expect(await untold('namespace-2')).toEqual([]);
  expect(await untold('namespace-1', ['other'])).toEqual([]);
});

it('R47: after a failure it waits for a part of the age of the end', async () => {
  const loopId = await endedLoop(40_000);
  await noteNotTold(database.db, loopId, 'webhook', 'status 503');
  expect(await untold()).toEqual([]);
  await database.db
    .updateTable('events')
    .set({ created_at: sql<Date>`clock_timestamp() - interval '10100 seconds'` })
    .where('loop_id', '=', loopId)
    .execute();
  expect(await untold()).toEqual([loopId]);
});

it('R47, R70: the reconciler tells and counts those that took it', async () => {
  const [taken, refused] = [await endedLoop(400), await endedLoop(400)];
  const options = { namespaceId: 'namespace-1', settings: { queuedReapThreshold: 300 } };
  const told: LoopId[] = [];
  const finishes = {
    agents: ['librarian'],
    tell: async (loopId: LoopId) => {
      told.push(loopId);
      return loopId !== refused;
    },
  };
  expect(await reconcile(database.db, new FakeTemporal(), { ...options, dryRun: true, finishes })).toMatchObject({ finishesTold: 2 });
  expect(told).toEqual([]);
  expect(await reconcile(database.db, new FakeTemporal(), { ...options, dryRun: false, finishes })).toMatchObject({ finishesTold: 1 });
  expect(told).toEqual(expect.arrayContaining([taken, refused]));
});
