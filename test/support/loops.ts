/** Loops in any state, made by the product's own transactions, and a look at whether anything was written. */

import { sql } from 'kysely';
import type { StartInput } from '../../src/domain/agent-loop-input';
import { type ClaimNumber, type Generation, type LoopId, type MessageId, type ToolCallId, toId } from '../../src/domain/ids';
import type { Loop } from '../../src/domain/loop';
import type { AcceptedCall, ParsedCall, RejectedCall, TurnAnswer } from '../../src/domain/turn';
import { type Spend, UNKNOWN_USAGE } from '../../src/domain/usage';
import { claimToolCall, type ClaimToolCallOptions, type ToolCallClaim } from '../../src/db/tool-calls/claim-tool-call';
import { claimTurn, type ClaimTurnOptions, type TurnClaim } from '../../src/db/turns/claim-turn';
import { commitTurn } from '../../src/db/turns/commit-turn';
import type { Database } from '../../src/db/database';
import { openLoop, type OpenLoopOptions } from '../../src/db/loops/open-loop';
import { lockLoop } from '../../src/db/repositories/loops.repository';
import { findUnresolvedCalls } from '../../src/db/repositories/tool-calls.repository';
import { type Rest, setLoopAtRest } from '../../src/db/loops/set-loop-at-rest';
import { setLoopGoing } from '../../src/db/loops/set-loop-going';
import { inTransaction } from '../../src/db/transaction';

let lastNumber = 0;

/** Scheduled times of attempts: each later than the one before. */
export const nextScheduledMs = (): number => 1_000_000 + ++lastNumber;

export function openOptions(changes: Partial<OpenLoopOptions> & { readonly input?: Partial<StartInput> } = {}): OpenLoopOptions {
  const { input, ...options } = changes;
  return {
    workflowId: `loop-${++lastNumber}`,
    runId: 'run-1',
    taskQueue: 'solidloop',
    namespaceId: 'namespace-1',
    ...(options.loopId === undefined ? { start: { agent: 'librarian', message: 'Find the book', ...input } } : {}),
    ...options,
  };
}

/** A queued loop with its first message pending. */
export async function openTestLoop(db: Database, changes: Parameters<typeof openOptions>[0] = {}): Promise<LoopId> {
  return (await openLoop(db, openOptions(changes))).loop.id;
}

export function claimOptions(loopId: LoopId, changes: Partial<ClaimTurnOptions> = {}): ClaimTurnOptions {
  return {
    loopId,
    turnNumber: 1,
    attemptScheduledMs: nextScheduledMs(),
    leaseSeconds: 60,
    withShell: true,
    defaultLimits: { steps: 100 },
    lostAttemptsPerStep: 10,
    costIsKnowable: true,
    modelName: 'gpt-test',
    ...changes,
  };
}

export type ClaimedTurn = Extract<TurnClaim, { kind: 'claimed' }>;

/** @throws where the turn is not due */
export async function claimTestTurn(db: Database, loopId: LoopId, changes: Partial<ClaimTurnOptions> = {}): Promise<ClaimedTurn> {
  const claim = await claimTurn(db, claimOptions(loopId, changes));
  if (claim.kind !== 'claimed') throw new Error(`the turn was not claimed: ${JSON.stringify(claim.next)}`);
  return claim;
}

export interface TestTurn {
  readonly loopId: LoopId;
  readonly turnNumber: number;
  readonly generation: Generation;
  readonly shellId: MessageId | null;
}

/** A loop whose first turn is in flight. */
export async function loopInTurn(db: Database, changes: Parameters<typeof openOptions>[0] = {}): Promise<TestTurn> {
  const loopId = await openTestLoop(db, changes);
  const { generation, shellId } = await claimTestTurn(db, loopId);
  return { loopId, turnNumber: 1, generation, shellId };
}

export function anyAnswer(changes: Partial<TurnAnswer> = {}): TurnAnswer {
  return {
    content: 'Here it is.',
    reasoningContent: null,
    calls: [],
    toolCallsRaw: null,
    providerExtras: null,
    metadata: { finish_reason: 'stop' },
    usage: UNKNOWN_USAGE,
    timings: { timeToFirstToken: null, thinking: null, generation: 1, tokensPerSecond: null },
    cost: { amountUsd: '0', isKnown: true },
    errorMessage: null,
    ...changes,
  };
}

/** Ten tokens in, five out, at this price. */
export const spendOf = (amountUsd: string, isKnown = true): Spend => ({
  usage: { ...UNKNOWN_USAGE, prompt: 10, completion: 5, total: 15 },
  cost: { amountUsd, isKnown },
});

export function acceptedCall(name: string, changes: Partial<AcceptedCall> = {}): AcceptedCall {
  return {
    kind: 'accepted',
    providerId: `call_${name}`,
    name,
    arguments: { a: 1 },
    argumentsRaw: '{"a": 1}',
    effect: 'unsafe',
    ...changes,
  };
}

export function rejectedCall(name: string, changes: Partial<RejectedCall> = {}): RejectedCall {
  return { kind: 'rejected', providerId: `call_${name}`, name, argumentsRaw: '{"a": ', answer: 'not JSON', ...changes };
}

export interface ToolPhase {
  readonly loopId: LoopId;
  readonly turnNumber: number;
  readonly generation: Generation;
  readonly callIds: readonly [ToolCallId, ...ToolCallId[]];
}

/** A loop in tool phase with these calls, none claimed. */
export async function loopInToolPhase(
  db: Database,
  calls: readonly ParsedCall[],
  changes: Parameters<typeof openOptions>[0] = {},
): Promise<ToolPhase> {
  const turn = await loopInTurn(db, changes);
  const commit = await commitTurn(db, { ...turn, answer: anyAnswer({ content: null, calls }) });
  if (commit.next.kind !== 'tools') throw new Error(`the loop is not in tool phase: ${JSON.stringify(commit.next)}`);
  const [first, ...others] = commit.next.calls.map((call) => call.id);
  if (first === undefined) throw new Error('no call to run');
  return { loopId: turn.loopId, turnNumber: commit.next.turnNumber, generation: commit.next.generation, callIds: [first, ...others] };
}

export function claimCallOptions(
  phase: { readonly generation: Generation },
  callId: ToolCallId,
  changes: Partial<ClaimToolCallOptions> = {},
): ClaimToolCallOptions {
  return {
    callId,
    generation: phase.generation,
    attemptScheduledMs: nextScheduledMs(),
    leaseSeconds: 60,
    holderPatienceSeconds: 60,
    lostAttemptsPerStep: 10,
    isSequential: false,
    ...changes,
  };
}

export type ClaimedCall = Extract<ToolCallClaim, { kind: 'claimed' }>;

/** @throws where the call cannot be claimed */
export async function claimTestCall(
  db: Database,
  phase: { readonly generation: Generation },
  callId: ToolCallId,
  changes: Partial<ClaimToolCallOptions> = {},
): Promise<ClaimedCall> {
  const claim = await claimToolCall(db, claimCallOptions(phase, callId, changes));
  if (claim.kind !== 'claimed') throw new Error(`the call was not claimed: ${claim.kind}`);
  return claim;
}

export interface TestCall extends ToolPhase {
  readonly callId: ToolCallId;
  readonly claimNumber: ClaimNumber;
}

/** A loop in tool phase whose first call is claimed. */
export async function loopInToolCall(db: Database, calls: readonly ParsedCall[]): Promise<TestCall> {
  const phase = await loopInToolPhase(db, calls);
  const callId = phase.callIds[0];
  return { ...phase, callId, claimNumber: (await claimTestCall(db, phase, callId)).claimNumber };
}

export const putAtRest = (db: Database, loopId: LoopId, rest: Rest): Promise<Loop> =>
  inTransaction(db, async (trx) => {
    await lockLoop(trx, loopId);
    return (await setLoopAtRest(trx, loopId, rest)).loop;
  });

export const pauseTestLoop = (db: Database, loopId: LoopId): Promise<Loop> =>
  putAtRest(db, loopId, { status: 'paused', by: 'ann', reason: 'lunch' });

export const resumeTestLoop = (db: Database, loopId: LoopId): Promise<Loop> =>
  inTransaction(db, async (trx) => {
    await lockLoop(trx, loopId);
    return (await setLoopGoing(trx, loopId)).loop;
  });

export async function freezeTestLoop(db: Database, loopId: LoopId): Promise<void> {
  await pauseTestLoop(db, loopId);
  await db.updateTable('loops').set({ admin_frozen: true, frozen_by: 'root' }).where('id', '=', loopId).execute();
}

/** A user message that waits, as steering makes it. */
export async function addPendingMessage(db: Database, loopId: LoopId, content = 'One more thing'): Promise<MessageId> {
  const row = await db
    .insertInto('messages')
    .values({ loop_id: loopId, role: 'user', kind: 'steering', status: 'pending', is_hidden: true, content })
    .returning('id')
    .executeTakeFirstOrThrow();
  return toId<MessageId>(row.id);
}

export async function requestAfterStep(db: Database, loopId: LoopId, verb: 'pause' | 'stop'): Promise<void> {
  await db
    .updateTable('loops')
    .set({ requested: verb, requested_by: 'ann', requested_reason: 'enough' })
    .where('id', '=', loopId)
    .execute();
}

export const loopRow = (db: Database, loopId: LoopId) =>
  db.selectFrom('loops').selectAll().where('id', '=', loopId).executeTakeFirstOrThrow();

export const messageRows = (db: Database, loopId: LoopId) =>
  db.selectFrom('messages').selectAll().where('loop_id', '=', loopId).orderBy('seq').orderBy('id').execute();

export const callRow = (db: Database, callId: ToolCallId) =>
  db.selectFrom('tool_calls').selectAll().where('id', '=', callId).executeTakeFirstOrThrow();

export const callRows = (db: Database, loopId: LoopId) =>
  db.selectFrom('tool_calls').selectAll().where('loop_id', '=', loopId).orderBy('message_id').orderBy('position').execute();

export const eventRows = (db: Database, loopId: LoopId) =>
  db.selectFrom('events').selectAll().where('loop_id', '=', loopId).orderBy('id').execute();

export const unresolvedIds = async (db: Database, loopId: LoopId): Promise<readonly ToolCallId[]> =>
  (await findUnresolvedCalls(db, loopId)).map((call) => call.id);

/** Every row of every table that an attempt can write, as it is now. */
export async function snapshot(db: Database): Promise<unknown> {
  const { rows } = await sql`
    select (select json_agg(l order by l.id) from solid_loop.loops l) as loops,
      (select json_agg(m order by m.id) from solid_loop.messages m) as messages,
      (select json_agg(c order by c.id) from solid_loop.tool_calls c) as calls,
      (select json_agg(e order by e.id) from solid_loop.events e) as events,
      (select json_agg(r order by r.loop_id, r.key) from solid_loop.control_requests r) as requests`.execute(db);
  return rows[0];
}

/** Runs it, and fails where any row differs afterwards. What it answered or threw comes back. */
export async function expectNothingWritten<Result>(db: Database, action: () => Promise<Result>): Promise<Result | Error> {
  const before = await snapshot(db);
  const outcome = await action().catch((error: unknown) => {
    if (error instanceof Error) return error;
    throw error;
  });
  expect(await snapshot(db)).toEqual(before);
  return outcome;
}
