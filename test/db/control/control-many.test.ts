/** The kill switch: a verb over many loops, counted first. */

import { controlMany } from '../../../src/db/control/control-many';
import type { ControlOutcome } from '../../../src/db/control/control-loop';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { expectNothingWritten, freezeTestLoop, loopInTurn, loopRow, openTestLoop, putAtRest } from '../../support/loops';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

it('R66, R67: counts first, then stops every loop of an agent that has not ended, each to be woken', async () => {
  const { db } = database;
  const ours = [await openTestLoop(db), (await loopInTurn(db)).loopId];
  const ended = await openTestLoop(db);
  await putAtRest(db, ended, { status: 'completed' });
  const other = await openTestLoop(db, { input: { agent: 'gardener' } });
  const request = { verb: 'stop', key: 'kill', by: 'ann' } as const;

  const counted = await expectNothingWritten(db, () => controlMany(db, { agent: 'librarian' }, request, { dryRun: true }));
  expect(counted).toEqual({ selected: { queued: 1, running: 1 }, results: {} });

  const outcomes: ControlOutcome[] = [];
  const report = await controlMany(db, { agent: 'librarian' }, request, {
    dryRun: false,
    onOutcome: (outcome) => void outcomes.push(outcome),
  });
  expect(report).toEqual({ selected: { queued: 1, running: 1 }, results: { cancelled: 2 } });
  expect(outcomes.map(({ loop, wake }) => [loop.id, wake])).toEqual(ours.map((id) => [id, true]));
  expect((await loopRow(db, ended)).status).toBe('completed');
  expect((await loopRow(db, other)).status).toBe('queued');
});

it('R64, R74: refusals are counted by their code, and a repeat with the same key goes on where it ended', async () => {
  const { db } = database;
  const [frozen, free] = [await openTestLoop(db), await openTestLoop(db)];
  await freezeTestLoop(db, frozen);
  const selection = { subject: { type: 'book', id: '7' } };
  await db.updateTable('loops').set({ subject_type: 'book', subject_id: '7' }).where('id', 'in', [frozen, free]).execute();
  const request = { verb: 'pause', key: 'all', by: 'ann' } as const;
  const all = { ...selection, status: ['queued', 'paused'] as const };
  expect((await controlMany(db, all, request, { dryRun: false })).results).toEqual({ LoopFrozen: 1, paused: 1 });
  expect((await controlMany(db, all, request, { dryRun: false })).results).toEqual({ LoopFrozen: 1, paused: 1 });
});

it('R66: reaches more loops than one page holds', async () => {
  const { db } = database;
  await db
    .insertInto('loops')
    .values(
      Array.from({ length: 110 }, (_, n) => ({
        workflow_id: `w${n}`,
        start_key: `w${n}`,
        task_queue: 'q',
        agent_name: 'many',
        status: 'queued' as const,
      })),
    )
    .execute();
  const report = await controlMany(db, { agent: 'many', status: ['queued'] }, { verb: 'pause', key: 'all' }, { dryRun: false });
  expect(report).toEqual({ selected: { queued: 110 }, results: { paused: 110 } });
});

it('R66: an empty selection is refused, so that not every loop is meant by mistake', async () => {
  await expect(controlMany(database.db, {}, { verb: 'stop', key: 'k' }, { dryRun: false })).rejects.toMatchObject({
    code: 'InvalidInput',
    field: 'selection',
  });
});
