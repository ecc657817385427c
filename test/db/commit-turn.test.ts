/** The canonical commit of a turn. */

import { commitTurn } from '../../src/db/turns/commit-turn';
import { toId } from '../../src/domain/ids';
import type { TurnAnswer } from '../../src/domain/turn';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  acceptedCall,
  addPendingMessage,
  anyAnswer,
  callRows,
  claimTestTurn,
  eventRows,
  expectNothingWritten,
  loopInTurn,
  loopRow,
  messageRows,
  openTestLoop,
  rejectedCall,
  requestAfterStep,
  type TestTurn,
  unresolvedIds,
} from '../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const commit = (turn: Omit<TestTurn, 'shellId'>, changes: Partial<TurnAnswer> = {}) =>
  commitTurn(test.db, { ...turn, answer: anyAnswer(changes) });

describe('a commit', () => {
  it('R37: makes the shell the answer, its messages a success, and ends the turn', async () => {
    const turn = await loopInTurn(test.db);
    await test.db
      .updateTable('messages')
      .set({ content: 'Here', metadata: JSON.stringify({ provider: 'x', finish_reason: '?' }) })
      .where('id', '=', turn.shellId)
      .execute();
    const committed = await commit(turn, { reasoningContent: 'hm', providerExtras: { signature: 's' } });
    expect(committed).toMatchObject({
      kind: 'committed',
      messageIds: [turn.shellId],
      next: { kind: 'done', status: 'completed' },
      loop: { turnNumber: 2 },
    });
    expect(await messageRows(test.db, turn.loopId)).toMatchObject([
      { role: 'user', status: 'success', is_hidden: false },
      {
        role: 'assistant',
        status: 'success',
        is_hidden: false,
        content: 'Here it is.',
        reasoning_content: 'hm',
        provider_extras: { signature: 's' },
        metadata: { provider: 'x', finish_reason: 'stop' },
        turn_number: 1,
        generation: turn.generation,
      },
    ]);
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({
      status: 'completed',
      lease_expires_at: null,
      turn_number: 2,
      turn_failures: 0,
    });
  });

  it('R33, R37: without a shell the answer is a row behind its messages', async () => {
    const loopId = await openTestLoop(test.db);
    const { generation } = await claimTestTurn(test.db, loopId, { withShell: false });
    await commit({ loopId, turnNumber: 1, generation });
    expect(await messageRows(test.db, loopId)).toMatchObject([
      { role: 'user', seq: 1 },
      { role: 'assistant', seq: 2, status: 'success', is_hidden: false },
    ]);
  });

  it('R5, R6, R35: counts in the same transaction, exactly, by increment', async () => {
    const turn = await loopInTurn(test.db);
    await test.db
      .updateTable('loops')
      .set({ cost: '0.0000000001', tokens_total: 5, step_count: 7, duration_generation: 0.5 })
      .where('id', '=', turn.loopId)
      .execute();
    await commit(turn, {
      usage: { prompt: 10, completion: 4, total: 14, promptCached: 6, reasoning: 2 },
      timings: { timeToFirstToken: 0.25, thinking: 0.5, generation: 1.5, tokensPerSecond: 8 },
      cost: { amountUsd: '0.1000000002', isKnown: true },
    });
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({
      cost: '0.1000000003',
      cost_known: true,
      step_count: 8,
      tokens_prompt: '10',
      tokens_completion: '4',
      tokens_total: '19',
      tokens_prompt_cached: '6',
      duration_generation: 2,
    });
    expect((await messageRows(test.db, turn.loopId))[1]).toMatchObject({
      tokens_prompt: 10,
      tokens_completion: 4,
      tokens_total: 14,
      tokens_prompt_cached: 6,
      tokens_reasoning: 2,
      ttft: 0.25,
      duration_thinking: 0.5,
      duration_generation: 1.5,
      tps: 8,
      cost: '0.1000000002',
      cost_known: true,
    });
  });

  it('R6, R35: an unknown price makes the sum unknown for good; tokens that nobody told stay unknown', async () => {
    const turn = await loopInTurn(test.db);
    await commit(turn, { cost: { amountUsd: '0', isKnown: false } });
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({ cost: '0.0000000000', cost_known: false, tokens_total: '0' });
    expect((await messageRows(test.db, turn.loopId))[1]).toMatchObject({ tokens_prompt: null, tokens_total: null, cost_known: false });
  });

  it('R35: usage that is no whole number of a sane size is brought to one', async () => {
    const turn = await loopInTurn(test.db);
    await commit(turn, { usage: { prompt: 10.4, completion: -1, total: 1e15, promptCached: Number.NaN, reasoning: null } });
    expect((await messageRows(test.db, turn.loopId))[1]).toMatchObject({
      tokens_prompt: 10,
      tokens_completion: 0,
      tokens_total: 2147483647,
      tokens_prompt_cached: null,
    });
  });

  it('P82: NUL and lone surrogates of an answer are kept as U+FFFD, also inside JSON', async () => {
    const turn = await loopInTurn(test.db);
    await commit(turn, {
      content: 'a\0b\ud800',
      calls: [acceptedCall('find', { arguments: { 'k\0': 'v\udc00' }, argumentsRaw: '{"k\0":1}' })],
      metadata: { note: '\0' },
    });
    expect((await messageRows(test.db, turn.loopId))[1]).toMatchObject({ content: 'a\uFFFDb\uFFFD', metadata: { note: '\uFFFD' } });
    expect(await callRows(test.db, turn.loopId)).toMatchObject([{ arguments: { 'k\uFFFD': 'v\uFFFD' }, arguments_raw: '{"k\uFFFD":1}' }]);
  });

  it('R7, R37: a message that failed with an earlier end of the same turn succeeds with it', async () => {
    const turn = await loopInTurn(test.db);
    await test.db
      .updateTable('messages')
      .set({ status: 'failed', error_message: 'HTTP 500' })
      .where('loop_id', '=', turn.loopId)
      .where('role', '=', 'user')
      .execute();
    await commit(turn);
    expect((await messageRows(test.db, turn.loopId))[0]).toMatchObject({ status: 'success', error_message: null });
  });
});

describe('the calls of a commit', () => {
  it('R38: calls that may be run → tool phase under the generation of the claim', async () => {
    const turn = await loopInTurn(test.db);
    const calls = [
      acceptedCall('find', { effect: 'read', metadata: { via: 'text' } }),
      acceptedCall('find', { arguments: { a: 2 }, argumentsRaw: '{"a":2}' }),
    ];
    const committed = await commit(turn, { content: null, calls, toolCallsRaw: [{ id: 'call_find' }] });
    const rows = await callRows(test.db, turn.loopId);
    expect(committed).toMatchObject({
      next: { kind: 'tools', turnNumber: 2, generation: turn.generation, calls: rows.map((row) => ({ id: row.id, name: 'find' })) },
      loop: { status: 'running' },
    });
    expect(rows).toMatchObject([
      {
        position: 0,
        tool_call_id: 'call_find',
        function_name: 'find',
        arguments: { a: 1 },
        arguments_raw: '{"a": 1}',
        effect: 'read',
        rejected: false,
        generation: turn.generation,
        metadata: { via: 'text' },
      },
      { position: 1, tool_call_id: 'call_find', arguments: { a: 2 }, effect: 'unsafe' },
    ]);
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({ status: 'running', lease_expires_at: null, generation: turn.generation });
    expect((await messageRows(test.db, turn.loopId))[1]).toMatchObject({ tool_calls_raw: [{ id: 'call_find' }], content: null });
  });

  it('R39: rejected calls are rows with their one message, in call order, beside those that run', async () => {
    const turn = await loopInTurn(test.db);
    const committed = await commit(turn, { calls: [rejectedCall('a'), acceptedCall('b'), rejectedCall('', { answer: 'no name' })] });
    const [a, b, unnamed] = await callRows(test.db, turn.loopId);
    expect([a, b, unnamed]).toMatchObject([
      { rejected: true, function_name: 'a', arguments_raw: '{"a": ' },
      { rejected: false },
      { rejected: true, function_name: 'unknown_tool' },
    ]);
    expect(await unresolvedIds(test.db, turn.loopId)).toEqual([b?.id]);
    const rows = await messageRows(test.db, turn.loopId);
    expect(rows.slice(2)).toMatchObject([
      { role: 'tool', status: 'success', is_hidden: false, content: 'not JSON', tool_call_ref: a?.id, tool_call_id: 'call_a' },
      { role: 'tool', content: 'no name', tool_call_ref: unnamed?.id },
    ]);
    expect(committed).toMatchObject({ messageIds: rows.slice(1).map((row) => row.id), next: { kind: 'tools', calls: [{ id: b?.id }] } });
  });

  it('R38, R39: only rejected calls → the next turn', async () => {
    const turn = await loopInTurn(test.db);
    expect(await commit(turn, { calls: [rejectedCall('a')] })).toMatchObject({
      next: { kind: 'turn', turnNumber: 2 },
      loop: { status: 'queued' },
    });
  });

  it('R38, R63: steering that arrived while the last answer was in flight is never stranded', async () => {
    const turn = await loopInTurn(test.db);
    await addPendingMessage(test.db, turn.loopId);
    expect(await commit(turn)).toMatchObject({ next: { kind: 'turn', turnNumber: 2 }, loop: { status: 'queued' } });
    expect((await messageRows(test.db, turn.loopId)).map((row) => row.status)).toEqual(['success', 'success', 'pending']);
  });
});

describe('what was asked for after the step', () => {
  it('R38, R60: a pause is carried out by the commit, with who and why', async () => {
    const turn = await loopInTurn(test.db);
    await requestAfterStep(test.db, turn.loopId, 'pause');
    expect(await commit(turn, { calls: [acceptedCall('find')] })).toMatchObject({
      next: { kind: 'wait', reason: 'paused' },
      pausedBy: 'ann',
    });
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({
      status: 'paused',
      paused_by: 'ann',
      paused_reason: 'enough',
      requested: null,
      requested_by: null,
      turn_number: 2,
    });
    expect(await unresolvedIds(test.db, turn.loopId)).toHaveLength(1);
  });

  it('R38, R60: a stop is carried out by the commit', async () => {
    const turn = await loopInTurn(test.db);
    await requestAfterStep(test.db, turn.loopId, 'stop');
    await addPendingMessage(test.db, turn.loopId);
    expect(await commit(turn)).toMatchObject({ next: { kind: 'done', status: 'cancelled' } });
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({ error_message: 'enough', requested: null });
  });

  it('R38, R60: a loop that completes is completed, and what was asked is cleared', async () => {
    const turn = await loopInTurn(test.db);
    await requestAfterStep(test.db, turn.loopId, 'stop');
    expect(await commit(turn)).toMatchObject({ next: { kind: 'done', status: 'completed' } });
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({ requested: null, requested_by: null, requested_reason: null });
  });
});

describe('a commit without its fences', () => {
  it('R24, R37: a second commit of the same turn writes nothing and answers what is next', async () => {
    const turn = await loopInTurn(test.db);
    await commit(turn, { calls: [acceptedCall('find')] });
    const again = await expectNothingWritten(test.db, () => commit(turn, { content: 'other' }));
    expect(again).toMatchObject({ kind: 'answered', next: { kind: 'tools' } });
  });

  it('R15, R48: an expired lease refuses nothing: only a later claim takes the turn', async () => {
    const turn = await loopInTurn(test.db);
    await test.db
      .updateTable('loops')
      .set({ lease_expires_at: new Date(0) })
      .where('id', '=', turn.loopId)
      .execute();
    expect(await commit(turn)).toMatchObject({ kind: 'committed' });
  });

  it('R22: a generation that was never given owns nothing', async () => {
    const turn = await loopInTurn(test.db);
    expect(await expectNothingWritten(test.db, () => commit({ ...turn, generation: toId('') }))).toMatchObject({ kind: 'answered' });
  });

  it('R25, R37: a turn that is due and has an answer is no state: nothing is paid twice, the loop pauses', async () => {
    const turn = await loopInTurn(test.db);
    await test.db
      .insertInto('messages')
      .values({ loop_id: turn.loopId, role: 'assistant', status: 'success', seq: 77, turn_number: 1, content: 'foreign' })
      .execute();
    expect(await commit(turn)).toMatchObject({
      kind: 'answered',
      next: { kind: 'wait', reason: 'paused' },
      loop: { errorCode: 'InvalidState' },
    });
    expect(await eventRows(test.db, turn.loopId)).toMatchObject([
      { kind: 'InvalidState', error: expect.stringContaining('turn 1') as unknown },
    ]);
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({ step_count: 0, turn_number: 1 });
  });
});
