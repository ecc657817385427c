/** Transactions that meet: real connections, real locks. */

import { sql } from 'kysely';
import { claimToolCall } from '../../src/db/tool-calls/claim-tool-call';
import { claimTurn } from '../../src/db/turns/claim-turn';
import { commitTurn } from '../../src/db/turns/commit-turn';
import { failToolCall } from '../../src/db/tool-calls/fail-tool-call';
import { lockLoop } from '../../src/db/repositories/loops.repository';
import { lockCall } from '../../src/db/tool-calls/lock-call';
import { settleToolCall } from '../../src/db/tool-calls/respond-tool-call';
import { setLoopAtRest } from '../../src/db/loops/set-loop-at-rest';
import { inTransaction } from '../../src/db/transaction';
import { isTerminal } from '../../src/domain/loop';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  acceptedCall,
  addPendingMessage,
  anyAnswer,
  claimCallOptions,
  claimOptions,
  claimTestCall,
  loopInToolPhase,
  loopInTurn,
  loopRow,
  messageRows,
  openTestLoop,
  pauseTestLoop,
  type TestTurn,
  unresolvedIds,
} from '../support/loops';
import { waitUntil } from '../support/wait-until';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase({ poolSize: 12 });
});
afterAll(() => test.drop());

const ROUNDS = Array.from({ length: 12 }, (_, index) => index);
const CLAIMERS = [5, 3, 8, 1, 7, 2, 6, 4];

/** Statements of this database that wait for a lock now. */
async function waitingForLock(): Promise<number> {
  const { rows } = await sql<{ waiting: string }>`
    select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(test.db);
  return Number(rows[0]?.waiting);
}

describe('claims that race', () => {
  it('R10, R26: of many claimers of a turn the latest scheduled holds it, and exactly one commits', async () => {
    const loopId = await openTestLoop(test.db);
    const claims = await Promise.allSettled(
      CLAIMERS.map((attemptScheduledMs) => claimTurn(test.db, claimOptions(loopId, { attemptScheduledMs }))),
    );
    const held = claims.flatMap((claim) => (claim.status === 'fulfilled' && claim.value.kind === 'claimed' ? [claim.value] : []));
    expect(held.length).toBeGreaterThan(0);
    expect(new Set(held.map((claim) => claim.generation)).size).toBe(held.length);
    expect(await loopRow(test.db, loopId)).toMatchObject({ attempt_scheduled_ms: '8', generation: String(held.length) });
    const commits = await Promise.all(
      held.map(({ generation }) => commitTurn(test.db, { loopId, turnNumber: 1, generation, answer: anyAnswer() })),
    );
    expect(commits.map((commit) => commit.kind).toSorted()).toEqual([
      ...Array.from({ length: held.length - 1 }, () => 'answered'),
      'committed',
    ]);
    expect(await loopRow(test.db, loopId)).toMatchObject({ step_count: 1, status: 'completed' });
    expect((await messageRows(test.db, loopId)).filter((row) => row.role === 'assistant' && !row.is_hidden)).toHaveLength(1);
  });

  it('R10, R21: of many claimers of a tool call the latest scheduled holds it, and exactly one settles', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('a', { effect: 'idempotent' })]);
    const callId = phase.callIds[0];
    const claims = await Promise.allSettled(
      CLAIMERS.map((attemptScheduledMs) => claimToolCall(test.db, claimCallOptions(phase, callId, { attemptScheduledMs }))),
    );
    const held = claims.flatMap((claim) => (claim.status === 'fulfilled' && claim.value.kind === 'claimed' ? [claim.value] : []));
    const outcome = { result: 'ok', isSuccess: true, durationSeconds: 1 };
    const settled = await Promise.allSettled(
      held.map(({ claimNumber }) => settleToolCall(test.db, { callId, claimNumber, generation: phase.generation, outcome, content: 'ok' })),
    );
    expect(settled.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await loopRow(test.db, phase.loopId)).toMatchObject({ status: 'queued', duration_tools: 1 });
    expect((await messageRows(test.db, phase.loopId)).filter((row) => row.role === 'tool')).toHaveLength(1);
  });

  it('R23: a claim that waited for the lock reads what was committed under it', async () => {
    const loopId = await openTestLoop(test.db);
    let claim: ReturnType<typeof claimTurn> | undefined;
    await inTransaction(test.db, async (trx) => {
      await lockLoop(trx, loopId);
      claim = claimTurn(test.db, claimOptions(loopId));
      await waitUntil('the claim to wait for the lock', async () => (await waitingForLock()) === 1);
      await setLoopAtRest(trx, loopId, { status: 'paused', by: 'ann', reason: null });
    });
    expect(await claim).toMatchObject({ kind: 'answered', next: { kind: 'wait', reason: 'paused' } });
    expect(await messageRows(test.db, loopId)).toMatchObject([{ status: 'pending' }]);
  });

  it('R23: a call is locked after its loop, and both are read as they are once the locks are there', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('find')]);
    const [callId] = phase.callIds;
    let pair: ReturnType<typeof lockCall> | undefined;
    await inTransaction(test.db, async (trx) => {
      await lockLoop(trx, phase.loopId);
      pair = inTransaction(test.db, (other) => lockCall(other, callId));
      await waitUntil('the other to wait for the loop', async () => (await waitingForLock()) === 1);
      await trx.updateTable('tool_calls').set({ claim_number: '7', is_answered: true }).where('id', '=', callId).execute();
      await trx.updateTable('loops').set({ generation: '70' }).where('id', '=', phase.loopId).execute();
    });
    expect(await pair).toMatchObject({ locked: { facts: { generation: '70' } }, lockedCall: { claimNumber: '7', isAnswered: true } });
  });
});

describe('ends that race', () => {
  it('R5, R55: of many calls that end together exactly one queues the loop', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const phase = await loopInToolPhase(
      test.db,
      names.map((name) => acceptedCall(name)),
    );
    const claims = await Promise.all(phase.callIds.map((callId) => claimTestCall(test.db, phase, callId)));
    const outcome = { result: 'ok', isSuccess: true, durationSeconds: 0.25 };
    const settled = await Promise.all(
      claims.map(({ call, claimNumber }) =>
        settleToolCall(test.db, { callId: call.id, claimNumber, generation: phase.generation, outcome, content: 'ok' }),
      ),
    );
    expect(settled.filter((result) => result.kind === 'answered' && result.next !== undefined)).toMatchObject([
      { next: { kind: 'turn', turnNumber: 2 } },
    ]);
    expect(await loopRow(test.db, phase.loopId)).toMatchObject({ status: 'queued', duration_tools: 2 });
    expect((await messageRows(test.db, phase.loopId)).map((row) => row.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it.each(ROUNDS)('R4, R60: a commit and a pause at the same time: both whole, in one order or the other (round %i)', async () => {
    const turn = await loopInTurn(test.db);
    const [commit] = await Promise.all([
      commitTurn(test.db, { ...turn, answer: anyAnswer({ calls: [acceptedCall('a')] }) }),
      pauseTestLoop(test.db, turn.loopId),
    ]);
    const row = await loopRow(test.db, turn.loopId);
    const isCommitted = commit.kind === 'committed';
    expect(row).toMatchObject({
      status: 'paused',
      lease_expires_at: null,
      step_count: isCommitted ? 1 : 0,
      turn_number: isCommitted ? 2 : 1,
    });
    expect(await unresolvedIds(test.db, turn.loopId)).toHaveLength(isCommitted ? 1 : 0);
    expect((await messageRows(test.db, turn.loopId))[1]).toMatchObject(
      isCommitted ? { status: 'success', is_hidden: false } : { status: 'failed', is_hidden: true },
    );
  });

  /** As steering does it: the lock first, and only while the loop is not terminal. */
  const steer = ({ loopId }: TestTurn) =>
    inTransaction(test.db, async (trx) => {
      const { facts } = await lockLoop(trx, loopId);
      if (isTerminal(facts.status)) return false;
      await addPendingMessage(trx, loopId);
      return true;
    });

  it.each(ROUNDS)('R38, R63: a last answer and a steering message at the same time: none is stranded (round %i)', async () => {
    const turn = await loopInTurn(test.db);
    const [commit, wasSteered] = await Promise.all([commitTurn(test.db, { ...turn, answer: anyAnswer() }), steer(turn)]);
    expect(commit.next.kind).toBe(wasSteered ? 'turn' : 'done');
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({ status: wasSteered ? 'queued' : 'completed' });
  });

  it.each(ROUNDS)('R4, R56: of a failing call and its settling sibling one is first; nothing is half written (round %i)', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('a'), acceptedCall('b')]);
    const [a, b] = await Promise.all(phase.callIds.map((callId) => claimTestCall(test.db, phase, callId)));
    const [settled] = await Promise.all([
      settleToolCall(test.db, {
        callId: a!.call.id,
        claimNumber: a!.claimNumber,
        generation: phase.generation,
        outcome: { result: 'ok', isSuccess: true, durationSeconds: 1 },
        content: 'ok',
      }),
      failToolCall(test.db, {
        callId: b!.call.id,
        claimNumber: b!.claimNumber,
        generation: phase.generation,
        errorCode: 'ToolFailed',
        errorMessage: 'x',
      }),
    ]);
    const wasFirst = settled.kind === 'answered';
    expect(await loopRow(test.db, phase.loopId)).toMatchObject({ status: 'failed', duration_tools: wasFirst ? 1 : 0 });
    expect(await unresolvedIds(test.db, phase.loopId)).toEqual(wasFirst ? [b!.call.id] : [a!.call.id, b!.call.id]);
  });

  it('R23: many transactions on one loop end without a deadlock', async () => {
    const phase = await loopInToolPhase(
      test.db,
      ROUNDS.map((round) => acceptedCall(`t${round}`, { effect: 'idempotent' })),
    );
    const attempts = [...phase.callIds, ...phase.callIds].map(async (callId) => {
      const { claimNumber } = await claimTestCall(test.db, phase, callId);
      return settleToolCall(test.db, {
        callId,
        claimNumber,
        generation: phase.generation,
        outcome: { result: 'ok', isSuccess: true, durationSeconds: 0 },
        content: 'ok',
      });
    });
    const failures = (await Promise.allSettled(attempts)).flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    expect(failures.filter((failure) => /deadlock|lock timeout/.test(failure))).toEqual([]);
    expect(await loopRow(test.db, phase.loopId)).toMatchObject({ status: 'queued' });
  });
});
