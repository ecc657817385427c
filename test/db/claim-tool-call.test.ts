/** An attempt takes a tool call. */

import { controlLoop } from '../../src/db/control/control-loop';
import { UNKNOWN_OUTCOME_TEXT } from '../../src/domain/tool-call';
import { checkpointToolCall } from '../../src/db/tool-calls/checkpoint-tool-call';
import { claimToolCall } from '../../src/db/tool-calls/claim-tool-call';
import { releaseToolCall } from '../../src/db/tool-calls/fail-tool-call';
import { respondToolCall } from '../../src/db/tool-calls/respond-tool-call';
import { LostLease } from '../../src/domain/errors';
import { type Generation, toId } from '../../src/domain/ids';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  acceptedCall,
  callRow,
  claimCallOptions,
  claimTestCall,
  claimTestTurn,
  expectNothingWritten,
  loopInToolCall,
  loopInToolPhase,
  loopRow,
  pauseTestLoop,
  rejectedCall,
  resumeTestLoop,
} from '../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const silentFor = (callId: Parameters<typeof callRow>[1], seconds: number) =>
  test.db
    .updateTable('tool_calls')
    .set({ renewed_at: new Date(Date.now() - seconds * 1000) })
    .where('id', '=', callId)
    .execute();

describe('a claim of a tool call', () => {
  it('R21, R53, R75: gives a claim number and a lease, and commits that the body starts', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('find', { arguments: { title: 'x' }, metadata: { via: 'text' } })]);
    const claim = await claimTestCall(test.db, phase, phase.callIds[0], { leaseSeconds: 90 });
    const row = await callRow(test.db, phase.callIds[0]);
    expect(claim).toMatchObject({
      mode: 'run',
      claimNumber: '1',
      loop: { id: phase.loopId, status: 'running' },
      call: {
        id: row.id,
        key: row.key,
        name: 'find',
        providerId: 'call_find',
        arguments: { title: 'x' },
        effect: 'unsafe',
        turnNumber: 1,
        isExecuted: false,
        metadata: { via: 'text' },
      },
    });
    expect(row).toMatchObject({ claim_number: '1', started_claim: '1', generation: phase.generation });
    expect(row.started_at).toBeInstanceOf(Date);
    expect((row.lease_expires_at!.getTime() - Date.now()) / 1000).toBeGreaterThan(85);
  });

  it('R21, R53: a later attempt of a repeatable call runs it again, under a new number and the same key', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('find', { effect: 'idempotent' })]);
    const first = await claimTestCall(test.db, phase, phase.callIds[0]);
    const second = await claimTestCall(test.db, phase, phase.callIds[0]);
    expect(second).toMatchObject({ mode: 'run', claimNumber: '2', call: { key: first.call.key } });
    expect(await callRow(test.db, phase.callIds[0])).toMatchObject({ started_claim: '1' });
  });

  it('R26: an attempt that was scheduled before the one that claimed is LostLease; an equal one is taken', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('find', { effect: 'read' })]);
    await claimTestCall(test.db, phase, phase.callIds[0], { attemptScheduledMs: 1000 });
    const stale = () => claimToolCall(test.db, claimCallOptions(phase, phase.callIds[0], { attemptScheduledMs: 999 }));
    expect(await expectNothingWritten(test.db, stale)).toBeInstanceOf(LostLease);
    expect(await claimTestCall(test.db, phase, phase.callIds[0], { attemptScheduledMs: 1000 })).toMatchObject({ claimNumber: '2' });
  });

  it('R54: an executed call is not run again: only its message is missing', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('find')]);
    await checkpointToolCall(test.db, { ...call, outcome: { result: 'found', isSuccess: true, durationSeconds: 2 } });
    expect(await claimTestCall(test.db, call, call.callId)).toMatchObject({
      mode: 'respond',
      call: { isExecuted: true, result: 'found', isSuccess: true, duration: 2 },
    });
    expect(await callRow(test.db, call.callId)).toMatchObject({ started_claim: '1', claim_number: '2' });
  });

  it('R46: a worker that knows the agent starts the count anew', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('find')]);
    await test.db.updateTable('loops').set({ unknown_since: new Date() }).where('id', '=', phase.loopId).execute();
    await claimTestCall(test.db, phase, phase.callIds[0]);
    expect(await loopRow(test.db, phase.loopId)).toMatchObject({ unknown_since: null });
  });
});

describe('a call that is not to be claimed', () => {
  it('R21, R60: an older generation is superseded', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('find')]);
    await pauseTestLoop(test.db, phase.loopId);
    const claim = () => claimToolCall(test.db, claimCallOptions(phase, phase.callIds[0]));
    expect(await expectNothingWritten(test.db, claim)).toEqual({ kind: 'superseded' });
    const { generation } = await resumeTestLoop(test.db, phase.loopId);
    expect(await expectNothingWritten(test.db, claim)).toEqual({ kind: 'superseded' });
    expect(await claimTestCall(test.db, { generation }, phase.callIds[0])).toMatchObject({ mode: 'run' });
  });

  it('R60: the current generation of a loop that is not running is superseded too', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('find')]);
    const { generation } = await pauseTestLoop(test.db, phase.loopId);
    const claim = () => claimToolCall(test.db, claimCallOptions({ generation }, phase.callIds[0]));
    expect(await expectNothingWritten(test.db, claim)).toEqual({ kind: 'superseded' });
  });

  it('R55: a call that has its message is answered, with what is next if it was the last', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('a'), acceptedCall('b')]);
    const claim = (callId = call.callId) => expectNothingWritten(test.db, () => claimToolCall(test.db, claimCallOptions(call, callId)));
    await respondToolCall(test.db, { ...call, content: 'done' });
    const answered = await claim();
    expect(answered).toMatchObject({ kind: 'answered' });
    expect(answered).not.toHaveProperty('next');
    const other = await claimTestCall(test.db, call, call.callIds[1]!);
    await respondToolCall(test.db, {
      callId: call.callIds[1]!,
      generation: call.generation,
      claimNumber: other.claimNumber,
      content: 'done',
    });
    expect(await claim()).toMatchObject({ kind: 'answered', next: { kind: 'turn', turnNumber: 2 } });
    await claimTestTurn(test.db, call.loopId, { turnNumber: 2 });
    expect(await claim()).toEqual({ kind: 'superseded' });
  });

  it('R52: of a sequential agent only the head, checked under the lock', async () => {
    const phase = await loopInToolPhase(test.db, [rejectedCall('x'), acceptedCall('a'), acceptedCall('b')]);
    const [head, second] = phase.callIds;
    const claim = () => claimToolCall(test.db, claimCallOptions(phase, second!, { isSequential: true }));
    expect(await expectNothingWritten(test.db, claim)).toEqual({ kind: 'superseded' });
    const { claimNumber } = await claimTestCall(test.db, phase, head, { isSequential: true });
    expect(await expectNothingWritten(test.db, claim)).toEqual({ kind: 'superseded' });
    await respondToolCall(test.db, { callId: head, generation: phase.generation, claimNumber, content: 'ok' });
    expect(await claim()).toMatchObject({ kind: 'claimed' });
  });

  it('R52: parallel calls are claimed in any order', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('a'), acceptedCall('b')]);
    expect(await claimTestCall(test.db, phase, phase.callIds[1]!)).toMatchObject({ mode: 'run' });
  });

  it('R22: a call that is not there, and a generation that was never given, own nothing', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('a')]);
    await expect(claimToolCall(test.db, claimCallOptions(phase, toId('999999')))).rejects.toMatchObject({ code: 'LoopNotFound' });
    const claim = () => claimToolCall(test.db, claimCallOptions({ generation: toId<Generation>('') }, phase.callIds[0]));
    expect(await expectNothingWritten(test.db, claim)).toEqual({ kind: 'superseded' });
  });
});

describe('an unsafe call that started and left no checkpoint', () => {
  it('R75: is not taken while its holder was heard of, and is told to come again soon', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    const claim = () => claimToolCall(test.db, claimCallOptions(call, call.callId));
    expect(await expectNothingWritten(test.db, claim)).toMatchObject({ code: 'ToolStillRunning', retryAfterMs: 5000 });
    await silentFor(call.callId, 58);
    const soon = await expectNothingWritten(test.db, claim);
    expect(soon).toMatchObject({ code: 'ToolStillRunning' });
    expect('retryAfterMs' in soon && soon.retryAfterMs).toBeLessThanOrEqual(2000);
  });

  it('R75: after that its outcome is asked, and its body never runs a second time', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    await silentFor(call.callId, 61);
    expect(await claimTestCall(test.db, call, call.callId)).toMatchObject({ mode: 'ask-outcome', claimNumber: '2' });
    expect(await callRow(test.db, call.callId)).toMatchObject({ started_claim: '1' });
    await silentFor(call.callId, 61);
    expect(await claimTestCall(test.db, call, call.callId)).toMatchObject({ mode: 'ask-outcome', claimNumber: '3' });
  });

  it('R58, R75: one whose body was not entered was never started', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    expect(await releaseToolCall(test.db, { ...call, wasEntered: false })).toBe(true);
    expect(await callRow(test.db, call.callId)).toMatchObject({ started_at: null, started_claim: null, lease_expires_at: null });
    expect(await claimTestCall(test.db, call, call.callId)).toMatchObject({ mode: 'run', claimNumber: '2' });
  });

  it('R58, R75: one whose body was entered stays started when it is given back', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    expect(await releaseToolCall(test.db, { ...call, wasEntered: true })).toBe(true);
    expect(await callRow(test.db, call.callId)).toMatchObject({ started_claim: '1', lease_expires_at: null });
    await silentFor(call.callId, 61);
    expect(await claimTestCall(test.db, call, call.callId)).toMatchObject({ mode: 'ask-outcome' });
  });

  it('R58, R68, R75: a repeatable call that was given back before its body stays started where an earlier claim may have entered one', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('label', { effect: 'idempotent' })]);
    const [callId] = phase.callIds;
    await claimTestCall(test.db, phase, callId);
    const { claimNumber } = await claimTestCall(test.db, phase, callId);
    await releaseToolCall(test.db, { callId, claimNumber, generation: phase.generation, wasEntered: false });
    expect((await callRow(test.db, callId)).started_at).not.toBeNull();
    await controlLoop(test.db, phase.loopId, { verb: 'pause', key: 'pause' });
    await controlLoop(test.db, phase.loopId, { verb: 'resume', skipCalls: true, key: 'resume' });
    const told = await test.db.selectFrom('messages').select('content').where('tool_call_ref', '=', callId).executeTakeFirstOrThrow();
    expect(told.content).toBe(UNKNOWN_OUTCOME_TEXT);
  });

  it('R58, R75: giving back the question does not forget the body that an earlier claim entered', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    await silentFor(call.callId, 61);
    const { claimNumber } = await claimTestCall(test.db, call, call.callId);
    await releaseToolCall(test.db, { ...call, claimNumber, wasEntered: false });
    expect(await callRow(test.db, call.callId)).toMatchObject({ started_claim: '1' });
  });
});

describe('attempts of a call that die', () => {
  const claimTimes = async (phase: Awaited<ReturnType<typeof loopInToolPhase>>, times: number) => {
    for (let attempt = 1; attempt <= times; attempt++) await claimTestCall(test.db, phase, phase.callIds[0], { lostAttemptsPerStep: 3 });
    return claimToolCall(test.db, claimCallOptions(phase, phase.callIds[0], { lostAttemptsPerStep: 3 }));
  };

  it('R46: the last lost attempt that is allowed fails the loop: a body that takes its worker down does not take down all', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('render', { effect: 'read' })]);
    const claim = await claimTimes(phase, 3);
    expect(claim).toMatchObject({ kind: 'answered', next: { kind: 'done', status: 'failed' }, loop: { errorCode: 'ToolKeepsDying' } });
    expect((await loopRow(test.db, phase.loopId)).error_message).toMatch(/3 attempts of tool call \d+ \(render\) ended without a report/);
    expect(await callRow(test.db, phase.callIds[0])).toMatchObject({ lease_expires_at: null, executed_at: null });
  });

  it('R46, R65: a retry counts anew, a pause does not', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('render', { effect: 'read' })]);
    await claimTimes(phase, 2);
    await pauseTestLoop(test.db, phase.loopId);
    const resumed = await resumeTestLoop(test.db, phase.loopId);
    expect(await callRow(test.db, phase.callIds[0])).toMatchObject({ lost_attempts: 2 });
    expect(await claimTimes({ ...phase, generation: resumed.generation }, 1)).toMatchObject({ next: { kind: 'done' } });
    const retried = await resumeTestLoop(test.db, phase.loopId);
    expect(retried).toMatchObject({ status: 'running' });
    expect(await callRow(test.db, phase.callIds[0])).toMatchObject({ lost_attempts: 0 });
  });

  it('R46, R58: an attempt that reports its end is not counted', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('render', { effect: 'read' })]);
    const [callId] = phase.callIds;
    for (let attempt = 1; attempt <= 5; attempt++) {
      const { claimNumber } = await claimTestCall(test.db, phase, callId, { lostAttemptsPerStep: 2 });
      await releaseToolCall(test.db, { callId, claimNumber, generation: phase.generation, wasEntered: true });
    }
    expect(await callRow(test.db, callId)).toMatchObject({ lost_attempts: 0 });
  });
});
