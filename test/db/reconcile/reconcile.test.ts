/** The reconciler on real Postgres, with a Temporal whose workflows the test takes away. */

import { sql } from 'kysely';
import { adopt } from '../../../src/db/loops/adopt';
import { claimTurn } from '../../../src/db/turns/claim-turn';
import { createDatabase, type Database } from '../../../src/db/database';
import { reconcile } from '../../../src/db/reconcile/reconcile';
import type { ReconcileCounts, ReconcileOptions } from '../../../src/db/reconcile/reconcile-options';
import type { LoopId } from '../../../src/domain/ids';
import type { WorkflowState } from '../../../src/domain/temporal-driver';
import { commitTurn } from '../../../src/db/turns/commit-turn';
import { startLoop } from '../../../src/db/loops/start-loop';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { FakeTemporal } from '../../support/fake-temporal';
import {
  acceptedCall,
  anyAnswer,
  callRow,
  claimOptions,
  claimTestTurn,
  eventRows,
  expectNothingWritten,
  loopInToolCall,
  loopInToolPhase,
  loopInTurn,
  loopRow,
  messageRows,
  openTestLoop,
  putAtRest,
} from '../../support/loops';
import { ask } from '../control/states';

let database: TestDatabase;
let db: Database;
let temporal: FakeTemporal;

beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.drop());
beforeEach(async () => {
  await db.deleteFrom('loops').execute();
  await db.deleteFrom('reconciler_runs').execute();
  await db.updateTable('installation').set({ namespace_id: null }).execute();
  temporal = new FakeTemporal();
});

const NONE: ReconcileCounts = {
  workflowsStarted: 0,
  loopsPaused: 0,
  loopsFailed: 0,
  wakesSent: 0,
  shellsFailed: 0,
  leasesCleared: 0,
  hooksFinished: 0,
  finishesTold: 0,
  foreignLoops: 0,
  temporalUnavailable: 0,
};

const run = (changes: Partial<ReconcileOptions> = {}): Promise<ReconcileCounts> =>
  reconcile(db, temporal, { namespaceId: 'namespace-1', settings: { queuedReapThreshold: 300 }, dryRun: false, ...changes });

/** Moves the times of a loop back, as if it had been so for that long. */
async function age(loopId: LoopId, seconds: number): Promise<void> {
  const past = sql<Date>`clock_timestamp() - make_interval(secs => ${seconds})`;
  await db.updateTable('loops').set({ status_changed_at: past }).where('id', '=', loopId).execute();
  await db
    .updateTable('loops')
    .set({ lease_expires_at: past })
    .where('id', '=', loopId)
    .where('lease_expires_at', 'is not', null)
    .execute();
  await db.updateTable('loops').set({ wake_due_at: past }).where('id', '=', loopId).where('wake_due_at', 'is not', null).execute();
  await db
    .updateTable('tool_calls')
    .set({ lease_expires_at: past })
    .where('loop_id', '=', loopId)
    .where('lease_expires_at', 'is not', null)
    .execute();
}

const workflowIdOf = async (loopId: LoopId): Promise<string> => (await loopRow(db, loopId)).workflow_id;

async function gone(loopId: LoopId, state: WorkflowState): Promise<LoopId> {
  temporal.states.set(await workflowIdOf(loopId), state);
  await age(loopId, 60);
  return loopId;
}

describe('a live loop whose workflow is gone', () => {
  it.each(['not-found', 'completed', 'failed', 'cancelled', 'timed-out'] as const)(
    'R70, R72: is started again where the workflow is %s, and nothing else of it is touched',
    async (state) => {
      const loopId = await gone(await openTestLoop(db), state);
      const { revivals: _revivals, ...before } = await loopRow(db, loopId);
      expect(await run()).toEqual({ ...NONE, workflowsStarted: 1 });
      expect(temporal.started).toEqual([await workflowIdOf(loopId)]);
      const { revivals, ...after } = await loopRow(db, loopId);
      expect(after).toEqual(before);
      expect(revivals).toBe(1);
    },
  );

  it('R70: with a turn in flight, or paused, is only started: lease, generation and status stay', async () => {
    const turn = await loopInTurn(db);
    await gone(turn.loopId, 'not-found');
    const paused = await openTestLoop(db);
    await ask(db, paused, { verb: 'pause' });
    await db.updateTable('loops').set({ wake_due_at: null }).where('id', '=', paused).execute();
    await gone(paused, 'failed');
    expect(await run()).toEqual({ ...NONE, workflowsStarted: 2 });
    expect(await loopRow(db, turn.loopId)).toMatchObject({ status: 'running', generation: turn.generation });
    expect((await loopRow(db, paused)).status).toBe('paused');
    expect((await commitTurn(db, { ...turn, answer: anyAnswer() })).kind).toBe('committed');
  });

  it('R70: is left alone while its workflow runs, and just after a change', async () => {
    await gone(await openTestLoop(db), 'running');
    await gone((await loopInToolCall(db, [acceptedCall('one')])).loopId, 'running');
    await openTestLoop(db);
    expect(await run()).toEqual(NONE);
  });

  it('R70: a row that no workflow has opened is started after queued_reap_threshold, by when its status changed', async () => {
    const { loopId } = await startLoop(db, { agent: 'librarian', message: 'Find the book', taskQueue: 'solidloop' });
    await age(loopId, 290);
    expect(await run()).toEqual(NONE);
    await age(loopId, 310);
    expect(await run()).toEqual({ ...NONE, workflowsStarted: 1 });
    expect((await loopRow(db, loopId)).status).toBe('init');
  });

  it('R72: whose workflow a person terminated is paused with the reason, once', async () => {
    const turn = await loopInTurn(db);
    await gone(turn.loopId, 'terminated');
    expect(await run()).toEqual({ ...NONE, loopsPaused: 1 });
    const row = await loopRow(db, turn.loopId);
    expect(row).toMatchObject({ status: 'paused', paused_by: 'temporal', lease_expires_at: null });
    expect(row.paused_reason).toContain('terminated');
    expect((await messageRows(db, turn.loopId)).find((message) => message.role === 'assistant')?.status).toBe('failed');
    await gone(turn.loopId, 'terminated');
    expect(await run()).toEqual(NONE);
    expect(temporal.started).toEqual([]);
  });

  it('R72: whose workflow was terminated is started again where the setting says so', async () => {
    await gone(await openTestLoop(db), 'terminated');
    expect(await run({ onTerminated: 'restart' })).toEqual({ ...NONE, workflowsStarted: 1 });
  });

  it('R67, R72: which a person resumed after its workflow was terminated is woken, not paused again', async () => {
    const loopId = await gone(await openTestLoop(db), 'terminated');
    await run();
    await ask(db, loopId, { verb: 'resume' });
    await age(loopId, 60);
    expect(await run()).toEqual({ ...NONE, wakesSent: 1 });
    expect((await loopRow(db, loopId)).status).toBe('queued');
  });

  it('R72: is started at most 5 times without a committed turn between, then failed', async () => {
    const loopId = await openTestLoop(db);
    for (let revival = 1; revival <= 5; revival += 1) {
      await gone(loopId, 'failed');
      expect((await run()).workflowsStarted).toBe(1);
    }
    await gone(loopId, 'failed');
    expect(await run()).toEqual({ ...NONE, loopsFailed: 1 });
    expect(await loopRow(db, loopId)).toMatchObject({ status: 'failed', error_code: 'TurnKeepsDying' });
  });

  it('R72: a committed turn starts the count of revivals anew', async () => {
    const loopId = await openTestLoop(db);
    await gone(loopId, 'failed');
    await run();
    const { generation } = await claimTestTurn(db, loopId);
    await commitTurn(db, { loopId, turnNumber: 1, generation, answer: anyAnswer({ content: null, calls: [acceptedCall('one')] }) });
    expect((await loopRow(db, loopId)).revivals).toBe(0);
  });

  it('R70, R72: a start that Temporal does not take is not counted', async () => {
    const loopId = await gone(await openTestLoop(db), 'failed');
    temporal.onDescribe = async () => void (temporal.isAway = true);
    expect(await run()).toEqual({ ...NONE, temporalUnavailable: 1 });
    expect((await loopRow(db, loopId)).revivals).toBe(0);
  });
});

describe('two at once, and changes between the look and the repair', () => {
  it('R70: of two reconcilers exactly one acts', async () => {
    const loopId = await gone(await openTestLoop(db), 'failed');
    temporal.onDescribe = bothHaveLooked(2);
    const counts = await Promise.all([run(), run()]);
    expect(counts.map((count) => count.workflowsStarted).toSorted()).toEqual([0, 1]);
    expect((await loopRow(db, loopId)).revivals).toBe(1);
  });

  it('R70, R72: of two that see a terminated workflow exactly one pauses', async () => {
    const loopId = await gone(await openTestLoop(db), 'terminated');
    temporal.onDescribe = bothHaveLooked(2);
    const counts = await Promise.all([run(), run()]);
    expect(counts.map((count) => count.loopsPaused).toSorted()).toEqual([0, 1]);
    expect((await loopRow(db, loopId)).status).toBe('paused');
  });

  const changes: readonly (readonly [string, (loopId: LoopId) => Promise<unknown>])[] = [
    ['a claim', (loopId) => claimTurn(db, claimOptions(loopId))],
    ['a stop', (loopId) => ask(db, loopId, { verb: 'stop' })],
    ['a message', (loopId) => ask(db, loopId, { verb: 'steer', message: 'more' })],
    ['a new run', (loopId) => db.updateTable('loops').set({ run_id: 'run-2' }).where('id', '=', loopId).execute()],
  ];

  it.each(changes)('R70: %s that comes between is seen under the lock, and nothing is repaired', async (_name, change) => {
    const loopId = await gone(await openTestLoop(db), 'terminated');
    temporal.onDescribe = async () => void (await change(loopId));
    expect(await run()).toEqual(NONE);
    expect(temporal.started).toEqual([]);
    expect((await loopRow(db, loopId)).paused_by).toBeNull();
  });
});

/** Nobody gets an answer before that many have asked. */
function bothHaveLooked(askers: number): () => Promise<void> {
  let release: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  return async () => {
    asked += 1;
    if (asked === askers) release();
    await all;
  };
}

describe('what was left behind', () => {
  it('R67: a wake that is due for over 10 s is sent again, a younger one is not; the mark stays until the tables are read', async () => {
    const [overdue, young] = [await openTestLoop(db), await openTestLoop(db)];
    await ask(db, overdue, { verb: 'stop' });
    await age(overdue, 11);
    await ask(db, young, { verb: 'stop' });
    expect(await run()).toEqual({ ...NONE, wakesSent: 1 });
    expect(temporal.woken).toEqual([await workflowIdOf(overdue)]);
    expect((await loopRow(db, overdue)).wake_due_at).not.toBeNull();
  });

  it('R33, R70, R73: shells on loops at rest are failed and hidden, on frozen ones too, whose status stays', async () => {
    const [paused, frozen, live] = [await openTestLoop(db), await openTestLoop(db), await loopInTurn(db)];
    await ask(db, frozen, { verb: 'freeze' });
    await putAtRest(db, paused, { status: 'paused', by: null, reason: null });
    for (const loopId of [paused, frozen]) {
      await db
        .insertInto('messages')
        .values({ loop_id: loopId, role: 'assistant', status: 'processing', is_hidden: true, seq: 77 })
        .execute();
    }
    expect(await run()).toMatchObject({ shellsFailed: 2 });
    expect((await messageRows(db, paused)).find((row) => row.seq === 77)).toMatchObject({ status: 'failed', is_hidden: true });
    expect(await loopRow(db, frozen)).toMatchObject({ status: 'paused', admin_frozen: true });
    expect((await messageRows(db, live.loopId)).find((row) => row.role === 'assistant')?.status).toBe('processing');
  });

  it('R64, R70: the lease of a dead unsafe body on a paused loop is cleared once it has expired, not before', async () => {
    const { loopId, callId } = await loopInToolCall(db, [acceptedCall('pay', { effect: 'unsafe' })]);
    await ask(db, loopId, { verb: 'pause' });
    expect((await run()).leasesCleared).toBe(0);
    await age(loopId, 60);
    expect((await run()).leasesCleared).toBe(1);
    expect((await callRow(db, callId)).lease_expires_at).toBeNull();
  });

  it('R47: hooks that did not run are finished for agents that have one, after two minutes', async () => {
    const turn = await loopInTurn(db);
    await commitTurn(db, { ...turn, answer: anyAnswer() });
    const finished: LoopId[] = [];
    const finish = async (loopId: LoopId) => void finished.push(loopId);
    expect((await run({ hooks: { agents: ['librarian'], finish } })).hooksFinished).toBe(0);
    await db
      .updateTable('messages')
      .set({ updated_at: sql`clock_timestamp() - interval '3 minutes'` })
      .where('loop_id', '=', turn.loopId)
      .execute();
    expect((await run({ hooks: { agents: ['gardener'], finish } })).hooksFinished).toBe(0);
    expect((await run({ hooks: { agents: ['librarian'], finish } })).hooksFinished).toBe(1);
    expect(finished).toEqual([turn.loopId]);
  });
});

describe('a run', () => {
  it('R70: while Temporal cannot be asked nothing is done, and the row of the run says why', async () => {
    const loopId = await gone(await openTestLoop(db), 'failed');
    temporal.isAway = true;
    const before = await loopRow(db, loopId);
    expect(await run()).toEqual({ ...NONE, temporalUnavailable: 1 });
    expect(await loopRow(db, loopId)).toEqual(before);
    expect(await db.selectFrom('reconciler_runs').selectAll().execute()).toMatchObject([
      { error: 'Temporal does not answer', counts: { temporalUnavailable: 1 } },
    ]);
  });

  it('R24, R70: without a database it says so, and is no failure of the reconciler', async () => {
    const nowhere = createDatabase({ connectionString: 'postgresql://nobody@127.0.0.1:1/none', onIdleError: () => undefined });
    const running = reconcile(nowhere, temporal, { namespaceId: 'namespace-1', settings: { queuedReapThreshold: 300 }, dryRun: false });
    await expect(running).rejects.toMatchObject({ code: 'DatabaseUnavailable' });
    await nowhere.destroy();
  });

  it('R70: leaves its counts and its end as a row', async () => {
    await gone(await openTestLoop(db), 'failed');
    const counts = await run();
    const [row] = await db.selectFrom('reconciler_runs').selectAll().execute();
    expect(row).toMatchObject({ counts, error: null });
    expect(row?.finished_at).toBeInstanceOf(Date);
  });

  it('R70: a dry run counts the same and writes nothing', async () => {
    await gone(await openTestLoop(db), 'failed');
    await gone(await openTestLoop(db), 'terminated');
    const woken = await openTestLoop(db);
    await ask(db, woken, { verb: 'stop' });
    await age(woken, 60);
    const counts = await expectNothingWritten(db, () => run({ dryRun: true }));
    expect(counts).toEqual({ ...NONE, workflowsStarted: 1, loopsPaused: 1, wakesSent: 1 });
    expect(temporal.started).toEqual([]);
    expect(temporal.woken).toEqual([]);
    expect(await db.selectFrom('reconciler_runs').selectAll().execute()).toEqual([]);
    expect((await db.selectFrom('installation').select('namespace_id').execute())[0]?.namespace_id).toBeNull();
    expect(await run()).toEqual(counts);
  });

  it('R70: goes through many loops, page after page', async () => {
    await sql`
      insert into solid_loop.loops (workflow_id, task_queue, start_key, agent_name, status, namespace_id, run_id, status_changed_at)
      select 'many' || n, 'solidloop', 'many' || n, 'librarian', 'queued', 'namespace-1', 'run-1', clock_timestamp() - interval '1 minute'
      from generate_series(1, 450) n`.execute(db);
    let beats = 0;
    expect((await run({ onProgress: () => void (beats += 1) })).workflowsStarted).toBe(450);
    expect(new Set(temporal.started).size).toBe(450);
    expect(beats).toBeGreaterThan(10);
  });
});

describe('tables of another server', () => {
  it('R71: loops of another namespace are counted and left alone', async () => {
    await gone(await openTestLoop(db, { namespaceId: 'namespace-2' }), 'not-found');
    const ours = await gone(await openTestLoop(db), 'not-found');
    expect(await run()).toEqual({ ...NONE, foreignLoops: 1, workflowsStarted: 1 });
    expect(temporal.started).toEqual([await workflowIdOf(ours)]);
  });

  it('R71: a restored copy on another server starts nothing, wakes nothing, and says what to do', async () => {
    await gone(await openTestLoop(db), 'not-found');
    await run();
    const copy = new FakeTemporal('namespace-of-the-copy');
    const { loopId: unopened } = await startLoop(db, { agent: 'librarian', message: 'never opened', taskQueue: 'solidloop' });
    await age(unopened, 1_000);
    const counts = await reconcile(db, copy, {
      namespaceId: 'namespace-of-the-copy',
      settings: { queuedReapThreshold: 300 },
      dryRun: false,
    });
    expect(counts).toEqual({ ...NONE, foreignLoops: 1 });
    expect([...copy.started, ...copy.woken]).toEqual([]);
    const rows = await db.selectFrom('reconciler_runs').select('error').orderBy('id', 'desc').execute();
    expect(rows[0]?.error).toContain('solidloop adopt');
  });

  it('R26, R71: adopt counts first, then takes the loops over and clears the stored times of attempts', async () => {
    const phase = await loopInToolPhase(db, [acceptedCall('one')]);
    await db.updateTable('tool_calls').set({ attempt_scheduled_ms: '99' }).where('loop_id', '=', phase.loopId).execute();
    const ended = await openTestLoop(db);
    await putAtRest(db, ended, { status: 'completed' });
    await run();
    const counted = await expectNothingWritten(db, () => adopt(db, 'namespace-9', { dryRun: true }));
    expect(counted).toEqual({ installationNamespaceId: 'namespace-1', loops: { 'namespace-1': 2 }, liveLoops: 1 });

    const events = await eventRows(db, phase.loopId);
    expect(await adopt(db, 'namespace-9', { dryRun: false })).toEqual(counted);
    expect(await loopRow(db, phase.loopId)).toMatchObject({
      namespace_id: 'namespace-9',
      attempt_scheduled_ms: '0',
      status: 'running',
      generation: phase.generation,
    });
    expect((await callRow(db, phase.callIds[0])).attempt_scheduled_ms).toBe('0');
    expect(await eventRows(db, phase.loopId)).toEqual(events);
    expect(await adopt(db, 'namespace-9', { dryRun: false })).toEqual({ installationNamespaceId: 'namespace-9', loops: {}, liveLoops: 0 });

    temporal = new FakeTemporal('namespace-9');
    await age(phase.loopId, 60);
    expect((await run()).workflowsStarted).toBe(1);
  });
});
