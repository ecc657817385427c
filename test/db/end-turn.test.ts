/** A claimed turn that ends without an answer. */

import { commitTurn } from '../../src/db/turns/commit-turn';
import { failTurn, releaseTurn, retryTurn } from '../../src/db/turns/end-turn';
import { claimTurn } from '../../src/db/turns/claim-turn';
import { noteUnknownAgent } from '../../src/db/loops/note-unknown-agent';
import { closeLoop } from '../../src/db/loops/close-loop';
import type { LoopId } from '../../src/domain/ids';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  acceptedCall,
  addPendingMessage,
  anyAnswer,
  callRow,
  claimOptions,
  claimTestTurn,
  expectNothingWritten,
  loopInToolCall,
  loopInTurn,
  loopRow,
  messageRows,
  openTestLoop,
  requestAfterStep,
  resumeTestLoop,
  spendOf,
} from '../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('a final failure', () => {
  it('R41: fails the loop and its triggering messages with the text, and counts step and duration', async () => {
    const turn = await loopInTurn(test.db);
    const failure = { kind: 'failed', code: 'ProviderFinal', message: 'HTTP 401: no\0', durationSeconds: 1.5 } as const;
    const discarded = spendOf('0.0000000001', false);
    expect(await failTurn(test.db, { ...turn, failure, discarded })).toMatchObject({
      kind: 'ended',
      next: { kind: 'done', status: 'failed' },
    });
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({
      error_code: 'ProviderFinal',
      error_message: 'HTTP 401: no\uFFFD',
      step_count: 1,
      duration_generation: 1.5,
      cost_discarded: '0.0000000001',
      cost_known: false,
      lease_expires_at: null,
      turn_number: 1,
    });
    expect(await messageRows(test.db, turn.loopId)).toMatchObject([
      { role: 'user', status: 'failed', is_hidden: false, error_message: 'HTTP 401: no\uFFFD' },
      { role: 'assistant', status: 'failed', is_hidden: true, metadata: { discarded } },
    ]);
  });

  it('R41: a full context completes the loop with the reason; pending messages stay pending', async () => {
    const turn = await loopInTurn(test.db);
    await addPendingMessage(test.db, turn.loopId);
    await requestAfterStep(test.db, turn.loopId, 'pause');
    const failure = {
      kind: 'context-limit',
      message: 'Context limit reached: HTTP 400: maximum context length',
      durationSeconds: 2,
    } as const;
    expect(await failTurn(test.db, { ...turn, failure })).toMatchObject({ kind: 'ended', next: { kind: 'done', status: 'completed' } });
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({
      error_code: 'ContextLimit',
      error_message: 'Context limit reached: HTTP 400: maximum context length',
      step_count: 1,
      duration_generation: 2,
      requested: null,
    });
    expect((await messageRows(test.db, turn.loopId)).map((row) => row.status)).toEqual(['success', 'failed', 'pending']);
  });

  it('R24: after the commit it writes nothing: the commit is what happened', async () => {
    const turn = await loopInTurn(test.db);
    await commitTurn(test.db, { ...turn, answer: anyAnswer() });
    const failure = { kind: 'failed', code: 'InternalError', message: 'late', durationSeconds: 0 } as const;
    expect(await expectNothingWritten(test.db, () => failTurn(test.db, { ...turn, failure }))).toMatchObject({
      kind: 'answered',
      next: { kind: 'done', status: 'completed' },
    });
  });
});

describe('a failure that may pass', () => {
  const retry = (turn: { loopId: LoopId; generation: Parameters<typeof retryTurn>[1]['generation'] }, maximumFailures = 8) =>
    retryTurn(test.db, {
      ...turn,
      turnNumber: 1,
      errorMessage: 'HTTP 503',
      maximumFailures,
      discarded: spendOf('0.0000000002'),
      durationSeconds: 3,
    });

  it('R41, R46: queues the turn again, counts the failure and no step, and keeps what was paid', async () => {
    const turn = await loopInTurn(test.db);
    expect(await retry(turn)).toMatchObject({ kind: 'retrying', failures: 1, next: { kind: 'turn', turnNumber: 1 } });
    const row = await loopRow(test.db, turn.loopId);
    expect(row).toMatchObject({
      status: 'queued',
      lease_expires_at: null,
      turn_failures: 1,
      step_count: 0,
      cost: '0.0000000000',
      cost_discarded: '0.0000000002',
      duration_generation: 0,
    });
    expect(Number(row.generation)).toBe(Number(turn.generation) + 1);
    expect(await messageRows(test.db, turn.loopId)).toMatchObject([
      { role: 'user', status: 'processing' },
      { role: 'assistant', status: 'failed', is_hidden: true, error_message: 'HTTP 503', metadata: { discarded: spendOf('0.0000000002') } },
    ]);
  });

  it('R46: the last failure that is allowed ends the loop, as a step', async () => {
    const { loopId, ...first } = await loopInTurn(test.db);
    expect(await retry({ loopId, ...first }, 2)).toMatchObject({ kind: 'retrying', failures: 1 });
    const second = await claimTestTurn(test.db, loopId);
    expect(await retry({ loopId, generation: second.generation }, 2)).toMatchObject({
      kind: 'failed',
      next: { kind: 'done', status: 'failed' },
      loop: { errorCode: 'ProviderFinal' },
    });
    expect(await loopRow(test.db, loopId)).toMatchObject({
      turn_failures: 2,
      step_count: 1,
      duration_generation: 3,
      cost_discarded: '0.0000000004',
      error_message: 'the provider failed 2 times in a row, the last with: HTTP 503',
    });
    expect((await messageRows(test.db, loopId))[0]).toMatchObject({ role: 'user', status: 'failed' });
  });

  it('R60: a pause that was asked for after the step need not wait for the next attempt', async () => {
    const turn = await loopInTurn(test.db);
    await requestAfterStep(test.db, turn.loopId, 'pause');
    expect(await retry(turn)).toMatchObject({ kind: 'retrying', next: { kind: 'wait', reason: 'paused' } });
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({ status: 'paused', turn_failures: 1, paused_by: 'ann' });
  });

  it('R37, R46: a commit starts the count anew', async () => {
    const turn = await loopInTurn(test.db);
    await retry(turn);
    const { generation } = await claimTestTurn(test.db, turn.loopId);
    await commitTurn(test.db, { loopId: turn.loopId, turnNumber: 1, generation, answer: anyAnswer() });
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({ turn_failures: 0 });
  });
});

describe('a turn that is given back', () => {
  it('R58: its shell failed and hidden, the lease cleared, queued; nothing counted but what was paid', async () => {
    const turn = await loopInTurn(test.db);
    expect(await releaseTurn(test.db, { ...turn, discarded: spendOf('0.5') })).toBe(true);
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({
      status: 'queued',
      lease_expires_at: null,
      turn_failures: 0,
      step_count: 0,
      cost_discarded: '0.5000000000',
    });
    expect((await messageRows(test.db, turn.loopId))[1]).toMatchObject({ status: 'failed', is_hidden: true });
    await claimTestTurn(test.db, turn.loopId);
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({ lost_attempts: 0 });
  });

  it('R27, R58: the failure that follows still names the claim’s generation, and closes the loop', async () => {
    const turn = await loopInTurn(test.db);
    await releaseTurn(test.db, turn);
    expect(await closeLoop(test.db, { ...turn, code: 'InternalError', reason: 'bug' })).toMatchObject({
      next: { kind: 'done', status: 'failed' },
    });
  });

  it('R58: a second release, and one after a takeover, write nothing', async () => {
    const turn = await loopInTurn(test.db);
    await releaseTurn(test.db, turn);
    expect(await expectNothingWritten(test.db, () => releaseTurn(test.db, turn))).toBe(false);
    await claimTestTurn(test.db, turn.loopId);
    expect(await expectNothingWritten(test.db, () => releaseTurn(test.db, turn))).toBe(false);
  });
});

describe('an agent or tool that the worker does not know', () => {
  const unknown = (loopId: LoopId, changes: Partial<Parameters<typeof noteUnknownAgent>[1]> = {}) =>
    noteUnknownAgent(test.db, {
      loopId,
      turnNumber: 1,
      name: 'ghost',
      knownNames: ['librarian', 'clerk'],
      patienceSeconds: 120,
      ...changes,
    });
  const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1000);

  it('R46: is waited for, counted from the first failure', async () => {
    const loopId = await openTestLoop(test.db);
    expect(await unknown(loopId)).toMatchObject({ kind: 'waiting' });
    await test.db
      .updateTable('loops')
      .set({ unknown_since: secondsAgo(60) })
      .where('id', '=', loopId)
      .execute();
    const later = await unknown(loopId);
    expect(later).toMatchObject({ kind: 'waiting' });
    expect(later.kind === 'waiting' && later.forSeconds).toBeGreaterThan(59);
    expect(await loopRow(test.db, loopId)).toMatchObject({ status: 'queued' });
  });

  it('R46: then the loop pauses, with the name and the names known', async () => {
    const loopId = await openTestLoop(test.db);
    await test.db
      .updateTable('loops')
      .set({ unknown_since: secondsAgo(121) })
      .where('id', '=', loopId)
      .execute();
    expect(await unknown(loopId)).toMatchObject({
      kind: 'paused',
      next: { kind: 'wait', reason: 'paused' },
      loop: { errorCode: 'UnknownAgent' },
    });
    expect(await loopRow(test.db, loopId)).toMatchObject({
      paused_by: 'solidloop',
      paused_reason: 'agent "ghost" is unknown to the workers of queue "solidloop"; known: librarian, clerk. Deploy it, then resume',
      unknown_since: null,
    });
    await resumeTestLoop(test.db, loopId);
    expect(await unknown(loopId)).toMatchObject({ kind: 'waiting' });
  });

  it('R46: a worker that knows it starts the count anew', async () => {
    const loopId = await openTestLoop(test.db);
    await test.db
      .updateTable('loops')
      .set({ unknown_since: secondsAgo(121) })
      .where('id', '=', loopId)
      .execute();
    await claimTestTurn(test.db, loopId);
    expect(await loopRow(test.db, loopId)).toMatchObject({ unknown_since: null });
  });

  it('R46, R58: a tool is counted by its call, which was never started', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('ghost')]);
    const options = { callId: call.callId, claimNumber: call.claimNumber, turnNumber: call.turnNumber };
    expect(await unknown(call.loopId, options)).toMatchObject({ kind: 'waiting' });
    await test.db
      .updateTable('tool_calls')
      .set({ unknown_since: secondsAgo(121) })
      .where('id', '=', call.callId)
      .execute();
    expect(await unknown(call.loopId, options)).toMatchObject({ kind: 'paused', loop: { errorCode: 'UnknownTool' } });
    expect(await callRow(test.db, call.callId)).toMatchObject({ unknown_since: null, lease_expires_at: null, started_at: null });
  });

  it('R25, R46: a step that is not asked for any more is answered, and nothing is written', async () => {
    const turn = await loopInTurn(test.db);
    await commitTurn(test.db, { ...turn, answer: anyAnswer({ calls: [acceptedCall('one')] }) });
    expect(await expectNothingWritten(test.db, () => unknown(turn.loopId))).toMatchObject({ kind: 'answered', next: { kind: 'tools' } });
    expect(await claimTurn(test.db, claimOptions(turn.loopId))).toMatchObject({ kind: 'answered' });
  });
});
