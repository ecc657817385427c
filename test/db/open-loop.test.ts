/** How a workflow comes to its loop, and what it reads there. */

import { closeLoop } from '../../src/db/loops/close-loop';
import { openLoop } from '../../src/db/loops/open-loop';
import { readNextStep } from '../../src/db/loops/read-next-step';
import { insertLoop } from '../../src/db/loops/insert-loop';
import { inTransaction } from '../../src/db/transaction';
import type { Generation, LoopId } from '../../src/domain/ids';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  acceptedCall,
  claimTestTurn,
  eventRows,
  expectNothingWritten,
  freezeTestLoop,
  loopInToolPhase,
  loopInTurn,
  loopRow,
  messageRows,
  openOptions,
  openTestLoop,
  pauseTestLoop,
  putAtRest,
  resumeTestLoop,
} from '../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

describe('openLoop', () => {
  it('R1, R2, R62: makes a queued loop whose first message waits as pending and hidden', async () => {
    const input = { title: 'Books', subject: { type: 'order', id: '7' }, state: { shelf: 3 }, limits: { steps: 5 } };
    const opened = await openLoop(test.db, openOptions({ workflowId: 'opened', input }));
    expect(opened).toMatchObject({ created: true, next: { kind: 'turn', turnNumber: 1, generation: '0' }, pausedBy: null });
    expect(opened.loop).toMatchObject({ workflowId: 'opened', agentName: 'librarian', status: 'queued', ...input });
    expect(await messageRows(test.db, opened.loop.id)).toMatchObject([
      { role: 'user', kind: 'plain', status: 'pending', is_hidden: true, seq: null, content: 'Find the book' },
    ]);
  });

  it('R8: stamps namespace, queue and run under the lock', async () => {
    const { loop } = await openLoop(test.db, openOptions({ workflowId: 'stamped', runId: 'run-9', taskQueue: 'night' }));
    expect(await loopRow(test.db, loop.id)).toMatchObject({
      namespace_id: 'namespace-1',
      run_id: 'run-9',
      task_queue: 'night',
      start_key: 'stamped',
    });
  });

  it('R8, R25: launches an init row: stamps the namespace it did not have, and queues it', async () => {
    const options = openOptions();
    const { workflowId, taskQueue, start } = options;
    const loopId = await inTransaction(test.db, (trx) => insertLoop(trx, { workflowId, taskQueue, namespaceId: null, start: start! }));
    expect(await loopRow(test.db, loopId!)).toMatchObject({ status: 'init', namespace_id: null });
    const { start: _, ...byId } = { ...options, loopId: loopId! };
    expect(await openLoop(test.db, byId)).toMatchObject({ created: false, loop: { status: 'queued' }, next: { kind: 'turn' } });
    expect(await loopRow(test.db, loopId!)).toMatchObject({ namespace_id: 'namespace-1' });
  });

  it('R77: the same start twice is one loop, as it is', async () => {
    const options = openOptions();
    const first = await openLoop(test.db, options);
    await putAtRest(test.db, first.loop.id, { status: 'completed' });
    expect(await openLoop(test.db, { ...options, runId: 'run-2' })).toMatchObject({
      created: false,
      loop: { id: first.loop.id },
      next: { kind: 'done', status: 'completed' },
    });
    expect(await messageRows(test.db, first.loop.id)).toHaveLength(1);
  });

  it('R77: starts of one workflow id at the same time make one loop', async () => {
    const options = openOptions();
    const opened = await Promise.all(Array.from({ length: 8 }, () => openLoop(test.db, options)));
    expect(new Set(opened.map(({ loop }) => loop.id)).size).toBe(1);
    expect(opened.filter(({ created }) => created)).toHaveLength(1);
  });

  it('R77: another key on an existing workflow id is LoopExists, which names reopen', async () => {
    const options = openOptions({ workflowId: 'taken', input: { key: 'monday' } });
    await openLoop(test.db, options);
    const other = openOptions({ workflowId: 'taken', input: { key: 'tuesday' } });
    const refusal = await expectNothingWritten(test.db, () => openLoop(test.db, other));
    expect(refusal).toMatchObject({ code: 'LoopExists', message: expect.stringMatching(/"monday" and not "tuesday".*reopen/) as unknown });
  });

  it('R77: a key that another workflow started with is LoopExists, which names that loop', async () => {
    const { loop } = await openLoop(test.db, openOptions({ workflowId: 'owner', input: { key: 'once' } }));
    const refusal = await expectNothingWritten(test.db, () =>
      openLoop(test.db, openOptions({ workflowId: 'thief', input: { key: 'once' } })),
    );
    expect(refusal).toMatchObject({
      code: 'LoopExists',
      message: expect.stringContaining(`loop ${loop.id} (workflow "owner")`) as unknown,
    });
  });

  it('R71: refuses a loop of another namespace, and names adopt', async () => {
    const options = openOptions();
    await openLoop(test.db, options);
    const refusal = await expectNothingWritten(test.db, () => openLoop(test.db, { ...options, namespaceId: 'namespace-2' }));
    expect(refusal).toMatchObject({ code: 'StartRefused', message: expect.stringContaining('solidloop adopt') as unknown });
  });

  it.each(['999999', 'seven', ''])('R27: a start by an id that is not there (%p) is LoopNotFound, and makes no row', async (loopId) => {
    expect(await expectNothingWritten(test.db, () => openLoop(test.db, openOptions({ loopId })))).toMatchObject({ code: 'LoopNotFound' });
  });

  it('R27: a workflow cannot take a loop that another one drives', async () => {
    const loopId = await openTestLoop(test.db);
    const refusal = await expectNothingWritten(test.db, () => openLoop(test.db, openOptions({ loopId })));
    expect(refusal).toMatchObject({ code: 'StartRefused', field: 'loopId' });
  });

  it('P82: text that Postgres cannot keep is cleaned on its way in', async () => {
    const loopId = await openTestLoop(test.db, { input: { message: 'a\0b\ud800', title: '\0', state: { 'k\0': ['\udfff'] } } });
    expect(await messageRows(test.db, loopId)).toMatchObject([{ content: 'a\uFFFDb\uFFFD' }]);
    expect(await loopRow(test.db, loopId)).toMatchObject({ title: '\uFFFD', state: { 'k\uFFFD': ['\uFFFD'] } });
  });
});

describe('readNextStep', () => {
  it('R67: clears the wake that asked for it', async () => {
    const loopId = await openTestLoop(test.db);
    await test.db
      .updateTable('loops')
      .set({ wake_due_at: minutesAgo(1) })
      .where('id', '=', loopId)
      .execute();
    await readNextStep(test.db, loopId);
    expect(await loopRow(test.db, loopId)).toMatchObject({ wake_due_at: null });
  });

  it('R67: a turn that was interrupted, or paused and resumed, comes again by itself: it is not asked for twice', async () => {
    const { loopId } = await loopInTurn(test.db);
    expect(await readNextStep(test.db, loopId)).toMatchObject({ next: { kind: 'turn', turnNumber: 1 }, isWantedAnew: false });
    await pauseTestLoop(test.db, loopId);
    await resumeTestLoop(test.db, loopId);
    expect(await readNextStep(test.db, loopId)).toMatchObject({ next: { kind: 'turn', turnNumber: 1 }, isWantedAnew: false });
  });

  it('R25: answers each state of the tables', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('one'), acceptedCall('two')]);
    expect(await readNextStep(test.db, phase.loopId)).toMatchObject({
      next: {
        kind: 'tools',
        turnNumber: 2,
        generation: phase.generation,
        calls: phase.callIds.map((id, index) => ({ id, name: ['one', 'two'][index] })),
      },
      isWantedAnew: false,
    });
    const paused = await openTestLoop(test.db);
    await pauseTestLoop(test.db, paused);
    expect(await readNextStep(test.db, paused)).toMatchObject({ next: { kind: 'wait', reason: 'paused' }, pausedBy: 'ann' });
    const frozen = await openTestLoop(test.db);
    await freezeTestLoop(test.db, frozen);
    expect(await readNextStep(test.db, frozen)).toMatchObject({ next: { kind: 'wait', reason: 'frozen' }, pausedBy: 'root' });
  });

  it('R25: a state that cannot be is an event, and pauses the loop with the reason', async () => {
    const { loopId } = await loopInToolPhase(test.db, [acceptedCall('one')]);
    await test.db.updateTable('loops').set({ status: 'queued' }).where('id', '=', loopId).execute();
    const reason = 'queued with unresolved calls';
    expect(await readNextStep(test.db, loopId)).toMatchObject({
      next: { kind: 'wait', reason: 'paused' },
      loop: { status: 'paused', errorCode: 'InvalidState' },
    });
    expect(await loopRow(test.db, loopId)).toMatchObject({ paused_by: 'solidloop', paused_reason: reason });
    expect(await eventRows(test.db, loopId)).toMatchObject([{ kind: 'InvalidState', error: reason }]);
    await readNextStep(test.db, loopId);
    expect(await eventRows(test.db, loopId)).toHaveLength(1);
  });

  it('R67: a loop that is not there is LoopNotFound', async () => {
    await expect(readNextStep(test.db, '4711' as LoopId)).rejects.toMatchObject({ code: 'LoopNotFound' });
  });
});

describe('closeLoop', () => {
  const close = (loopId: LoopId, generation: Generation, turnNumber = 1) =>
    closeLoop(test.db, { loopId, turnNumber, generation, code: 'InternalError', reason: 'bad luck' });

  it('R27: fails the loop while turn number and generation are still its own, and is idempotent', async () => {
    const { loopId, generation, shellId } = await loopInTurn(test.db);
    expect(await close(loopId, generation)).toMatchObject({
      next: { kind: 'done', status: 'failed' },
      loop: { errorCode: 'InternalError', errorMessage: 'bad luck' },
    });
    expect(await messageRows(test.db, loopId)).toMatchObject([
      { role: 'user', status: 'failed' },
      { id: shellId, status: 'failed', is_hidden: true },
    ]);
    expect(await expectNothingWritten(test.db, () => close(loopId, generation))).toMatchObject({
      next: { kind: 'done', status: 'failed' },
    });
  });

  it('R27: names of an older step write nothing, and the answer says what is next', async () => {
    const { loopId, generation } = await loopInTurn(test.db);
    const { generation: newer } = await claimTestTurn(test.db, loopId);
    expect(await expectNothingWritten(test.db, () => close(loopId, generation))).toMatchObject({
      next: { kind: 'turn', generation: newer },
    });
    expect(await expectNothingWritten(test.db, () => close(loopId, newer, 2))).toMatchObject({ next: { kind: 'turn', generation: newer } });
  });

  it('R27, R73: a paused or frozen loop keeps its status', async () => {
    const paused = await openTestLoop(test.db);
    const { generation } = await pauseTestLoop(test.db, paused);
    expect(await expectNothingWritten(test.db, () => close(paused, generation))).toMatchObject({
      next: { kind: 'wait', reason: 'paused' },
    });
    const frozen = await openTestLoop(test.db);
    await freezeTestLoop(test.db, frozen);
    const row = await loopRow(test.db, frozen);
    expect(await expectNothingWritten(test.db, () => close(frozen, row.generation as Generation))).toMatchObject({
      next: { kind: 'wait', reason: 'frozen' },
    });
  });
});
