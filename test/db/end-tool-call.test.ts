/** Checkpoint, tool message, failure of a tool call. */

import { checkpointToolCall, type StateChange } from '../../src/db/tool-calls/checkpoint-tool-call';
import { failToolCall } from '../../src/db/tool-calls/fail-tool-call';
import { lockLoop } from '../../src/db/repositories/loops.repository';
import { resolveAbandonedCalls } from '../../src/db/tool-calls/resolve-abandoned-calls';
import { respondToolCall, settleToolCall } from '../../src/db/tool-calls/respond-tool-call';
import { inTransaction } from '../../src/db/transaction';
import { LostLease } from '../../src/domain/errors';
import { toId } from '../../src/domain/ids';
import { NOT_RUN_TEXT, UNKNOWN_OUTCOME_TEXT } from '../../src/domain/tool-call';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  acceptedCall,
  callRow,
  callRows,
  claimTestCall,
  claimTestTurn,
  eventRows,
  expectNothingWritten,
  loopInToolCall,
  loopInToolPhase,
  loopRow,
  messageRows,
  openTestLoop,
  pauseTestLoop,
  requestAfterStep,
  resumeTestLoop,
  type TestCall,
  unresolvedIds,
} from '../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const outcome = { result: 'found\0', isSuccess: true, durationSeconds: 1.5, metadata: { images: [] } };
const checkpoint = (call: Pick<TestCall, 'callId' | 'claimNumber'>, stateChanges: readonly StateChange[] = []) =>
  checkpointToolCall(test.db, { callId: call.callId, claimNumber: call.claimNumber, outcome, stateChanges });
const respond = (call: Pick<TestCall, 'callId' | 'claimNumber' | 'generation'>, content = 'found') =>
  respondToolCall(test.db, { callId: call.callId, claimNumber: call.claimNumber, generation: call.generation, content });

describe('the checkpoint', () => {
  it('R54: keeps what came of the body', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('find', { metadata: { via: 'text' } })]);
    expect(await checkpoint(call)).toEqual({ isLate: false });
    expect(await callRow(test.db, call.callId)).toMatchObject({
      is_success: true,
      result: 'found\uFFFD',
      error_message: null,
      duration: 1.5,
      metadata: { via: 'text', images: [] },
      executed_at: expect.any(Date) as unknown,
    });
  });

  it('R54: a repeat by the same claim changes nothing', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('find')]);
    await checkpoint(call, [{ a: 1 }]);
    await expectNothingWritten(test.db, () => checkpoint(call, [{ a: 2 }]));
  });

  it('R54, R60: needs no generation: an unsafe body that was let finish leaves its fact, on a paused and on an ended loop', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    await pauseTestLoop(test.db, call.loopId);
    expect(await callRow(test.db, call.callId)).toMatchObject({ lease_expires_at: expect.any(Date) as unknown });
    expect(await checkpoint(call)).toEqual({ isLate: false });
    expect(await callRow(test.db, call.callId)).toMatchObject({ executed_at: expect.any(Date) as unknown, lease_expires_at: null });
    const { generation } = await resumeTestLoop(test.db, call.loopId);
    expect(await claimTestCall(test.db, { generation }, call.callId)).toMatchObject({ mode: 'respond' });
  });

  it('R54, R75: an unsafe call under the claim that started it, though a later one asks for its outcome', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    const asking = await claimTestCall(test.db, call, call.callId, { holderPatienceSeconds: 0 });
    expect(asking.mode).toBe('ask-outcome');
    expect(await checkpoint(call)).toEqual({ isLate: false });
    expect(await callRow(test.db, call.callId)).toMatchObject({ result: 'found\uFFFD', lease_expires_at: expect.any(Date) as unknown });
    expect(await respond({ ...call, claimNumber: asking.claimNumber })).toMatchObject({ kind: 'answered' });
  });

  it('R54, R75: the answer of reconcile is a checkpoint under the claim that asked', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    const asking = await claimTestCall(test.db, call, call.callId, { holderPatienceSeconds: 0 });
    expect(await checkpoint(asking.mode === 'ask-outcome' ? { ...call, claimNumber: asking.claimNumber } : call)).toEqual({
      isLate: false,
    });
  });

  it('R54, R75: after its tool message was written the fact is recorded, and an event says so', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    const asking = await claimTestCall(test.db, call, call.callId, { holderPatienceSeconds: 0 });
    await respond({ ...call, claimNumber: asking.claimNumber }, UNKNOWN_OUTCOME_TEXT);
    expect(await checkpoint(call)).toEqual({ isLate: true });
    expect(await callRow(test.db, call.callId)).toMatchObject({ executed_at: expect.any(Date) as unknown, result: 'found\uFFFD' });
    expect(await eventRows(test.db, call.loopId)).toMatchObject([
      { kind: 'CheckpointAfterAnswer', tool_call_id: call.callId, name: 'pay' },
    ]);
    expect((await messageRows(test.db, call.loopId)).filter((row) => row.role === 'tool')).toMatchObject([
      { content: UNKNOWN_OUTCOME_TEXT },
    ]);
  });

  it('R21, R54: a repeatable call that a later claim took is lost, and nothing is written', async () => {
    for (const effect of ['read', 'idempotent'] as const) {
      const call = await loopInToolCall(test.db, [acceptedCall('find', { effect })]);
      await claimTestCall(test.db, call, call.callId);
      expect(await expectNothingWritten(test.db, () => checkpoint(call, [{ a: 1 }]))).toBeInstanceOf(LostLease);
    }
  });

  it('R76: state changes are merged by top-level key, functions get the value of that moment, undefined takes a key away', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('a'), acceptedCall('b')], {
      input: { state: { count: 1, list: [1], old: true } },
    });
    const [a, b] = await Promise.all(
      phase.callIds.map(async (callId) => ({ callId, claimNumber: (await claimTestCall(test.db, phase, callId)).claimNumber })),
    );
    const increment: StateChange = (current) => ({ count: Number(current.count) + 1 });
    await Promise.all([checkpoint(a!, [increment, { list: [2], old: undefined }]), checkpoint(b!, [increment, { other: 'b' }])]);
    expect((await loopRow(test.db, phase.loopId)).state).toEqual({ count: 3, list: [2], other: 'b' });
  });

  it('R54, R76: a change that throws, or is no object, is lost and an event; the checkpoint stands', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('find')]);
    const promised = (async () => ({ a: 1 })) as unknown as StateChange;
    const throwing: StateChange = () => {
      throw new Error('no such key');
    };
    await checkpoint(call, [throwing, promised, { kept: true }]);
    expect(await callRow(test.db, call.callId)).toMatchObject({ executed_at: expect.any(Date) as unknown });
    expect((await loopRow(test.db, call.loopId)).state).toEqual({ kept: true });
    expect(await eventRows(test.db, call.loopId)).toMatchObject([
      { kind: 'StateChangeFailed', error: 'no such key' },
      { kind: 'StateChangeFailed', error: expect.stringContaining('plain object') as unknown },
    ]);
  });
});

describe('the tool message', () => {
  it('R5, R55: one transaction: the message, the tool time, and the queue with the last', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('a'), acceptedCall('b')]);
    await checkpoint(call);
    const first = await respond(call, 'one');
    expect(first).toMatchObject({ kind: 'answered', loop: { status: 'running' } });
    expect(first).not.toHaveProperty('next');
    expect(await callRow(test.db, call.callId)).toMatchObject({ lease_expires_at: null });
    const { claimNumber } = await claimTestCall(test.db, call, call.callIds[1]!);
    const last = await settleToolCall(test.db, {
      callId: call.callIds[1]!,
      claimNumber,
      generation: call.generation,
      outcome: { ...outcome, durationSeconds: 0.5 },
      content: 'two',
    });
    expect(last).toMatchObject({ kind: 'answered', next: { kind: 'turn', turnNumber: 2 }, loop: { status: 'queued' } });
    expect(await loopRow(test.db, call.loopId)).toMatchObject({ duration_tools: 2, step_count: 1 });
    const answers = (await messageRows(test.db, call.loopId)).slice(2);
    expect(answers).toMatchObject([
      {
        role: 'tool',
        status: 'success',
        is_hidden: false,
        content: 'one',
        tool_call_ref: call.callIds[0],
        tool_call_id: 'call_a',
        turn_number: 1,
        seq: 3,
      },
      { content: 'two', tool_call_ref: call.callIds[1], seq: 4 },
    ]);
    expect([first, last].map((answer) => answer.kind === 'answered' && answer.messageId)).toEqual(answers.map((row) => row.id));
  });

  it('R55: a second one is none: the call is answered, nothing is written', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('a')]);
    await respond(call);
    expect(await expectNothingWritten(test.db, () => respond(call, 'other'))).toMatchObject({ kind: 'answered', next: { kind: 'turn' } });
  });

  it('R54, R55: settling on a loop that went on writes the fact, and no message', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    await pauseTestLoop(test.db, call.loopId);
    expect(await settleToolCall(test.db, { ...call, outcome, content: 'found', stateChanges: [{ paid: true }] })).toEqual({
      kind: 'superseded',
    });
    expect(await callRow(test.db, call.callId)).toMatchObject({ executed_at: expect.any(Date) as unknown });
    expect((await loopRow(test.db, call.loopId)).state).toEqual({ paid: true });
    expect(await unresolvedIds(test.db, call.loopId)).toEqual([call.callId]);
  });

  it('R38, R60: what was asked for after the step is carried out with the last message, not before', async () => {
    for (const [verb, status] of [
      ['pause', 'paused'],
      ['stop', 'cancelled'],
    ] as const) {
      const call = await loopInToolCall(test.db, [acceptedCall('a'), acceptedCall('b')]);
      await requestAfterStep(test.db, call.loopId, verb);
      expect(await respond(call)).toMatchObject({ kind: 'answered', loop: { status: 'running' } });
      const { claimNumber } = await claimTestCall(test.db, call, call.callIds[1]!);
      expect(await respond({ ...call, callId: call.callIds[1]!, claimNumber })).toMatchObject({
        kind: 'answered',
        loop: { status },
        next: { kind: verb === 'pause' ? 'wait' : 'done' },
      });
    }
  });
});

describe('the failure of a tool call', () => {
  const fail = (call: Pick<TestCall, 'callId' | 'generation'>, claimNumber: TestCall['claimNumber'] | null) =>
    failToolCall(test.db, {
      callId: call.callId,
      generation: call.generation,
      claimNumber,
      errorCode: 'ToolFailed',
      errorMessage: 'no network',
    });

  it('R56, R59: after the claim, before the checkpoint: call and loop are failed in one transaction, the siblings left alone', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('a'), acceptedCall('b')]);
    await claimTestCall(test.db, call, call.callIds[1]!);
    const sibling = await callRow(test.db, call.callIds[1]!);
    expect(await fail(call, call.claimNumber)).toMatchObject({
      kind: 'failed',
      next: { kind: 'done', status: 'failed' },
      loop: { errorCode: 'ToolFailed', errorMessage: 'no network' },
    });
    expect(await callRow(test.db, call.callId)).toMatchObject({
      is_success: false,
      error_message: 'no network',
      executed_at: null,
      lease_expires_at: null,
    });
    expect(await callRow(test.db, call.callIds[1]!)).toEqual(sibling);
  });

  it('R57: an executed call’s continuation fails the loop alone', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('a')]);
    await checkpoint(call);
    const later = await claimTestCall(test.db, call, call.callId);
    expect(await fail(call, call.claimNumber)).toMatchObject({ kind: 'failed' });
    expect(await callRow(test.db, call.callId)).toMatchObject({
      is_success: true,
      result: 'found\uFFFD',
      error_message: null,
      claim_number: later.claimNumber,
    });
  });

  it('R57: before any claim: under the generation alone, the call’s row is left as it is', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('a')]);
    const before = await callRow(test.db, phase.callIds[0]);
    expect(await fail({ ...phase, callId: phase.callIds[0] }, null)).toMatchObject({ kind: 'failed' });
    expect(await callRow(test.db, phase.callIds[0])).toEqual(before);
  });

  it('R24, R56: where the message was written meanwhile there is nothing to fail', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('a'), acceptedCall('b')]);
    await respond(call);
    expect(await expectNothingWritten(test.db, () => fail(call, call.claimNumber))).toMatchObject({
      kind: 'answered',
      next: { kind: 'tools' },
    });
  });

  it('R56, R65: a failed call can run again after the loop was taken up', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('a', { effect: 'idempotent' })]);
    await fail(call, call.claimNumber);
    const { generation, status } = await resumeTestLoop(test.db, call.loopId);
    expect(status).toBe('running');
    expect(await claimTestCall(test.db, { generation }, call.callId)).toMatchObject({ mode: 'run' });
    expect(await callRow(test.db, call.callId)).toMatchObject({ is_success: null, error_message: null });
  });
});

describe('calls that will not be run', () => {
  it('R68: each gets its one tool message, in call order, by what is known of it', async () => {
    const names = ['executed', 'unstarted', 'read', 'idempotent', 'unsafe'];
    const phase = await loopInToolPhase(
      test.db,
      names.map((name) => acceptedCall(name, { effect: name === 'read' || name === 'idempotent' ? name : 'unsafe' })),
    );
    const [executed, , read, idempotent, unsafe] = phase.callIds;
    for (const callId of [executed, read!, idempotent!, unsafe!]) await claimTestCall(test.db, phase, callId);
    await checkpoint({ callId: executed, claimNumber: toId('1') });
    await pauseTestLoop(test.db, phase.loopId);
    const ids = await inTransaction(test.db, async (trx) => {
      await lockLoop(trx, phase.loopId);
      return resolveAbandonedCalls(trx, phase.loopId);
    });
    const answers = (await messageRows(test.db, phase.loopId)).filter((row) => row.role === 'tool');
    expect(answers.map((row) => [row.tool_call_ref, row.content])).toEqual([
      [phase.callIds[0], 'found\uFFFD'],
      [phase.callIds[1], NOT_RUN_TEXT],
      [phase.callIds[2], NOT_RUN_TEXT],
      [phase.callIds[3], UNKNOWN_OUTCOME_TEXT],
      [phase.callIds[4], UNKNOWN_OUTCOME_TEXT],
    ]);
    expect(answers.map((row) => row.id)).toEqual(ids);
    expect(await unresolvedIds(test.db, phase.loopId)).toEqual([]);
    expect((await callRows(test.db, phase.loopId)).every((row) => row.lease_expires_at === null)).toBe(true);
    expect(await loopRow(test.db, phase.loopId)).toMatchObject({ duration_tools: 1.5 });
  });

  it('R68, R75: a body that ends after that leaves its fact and an event', async () => {
    const call = await loopInToolCall(test.db, [acceptedCall('pay')]);
    await pauseTestLoop(test.db, call.loopId);
    await inTransaction(test.db, (trx) => resolveAbandonedCalls(trx, call.loopId));
    await resumeTestLoop(test.db, call.loopId);
    await claimTestTurn(test.db, call.loopId, { turnNumber: 2 });
    expect(await checkpoint(call)).toEqual({ isLate: true });
  });

  it('R68: a loop without any is left as it is', async () => {
    const loopId = await openTestLoop(test.db);
    expect(await inTransaction(test.db, (trx) => resolveAbandonedCalls(trx, loopId))).toEqual([]);
  });
});
