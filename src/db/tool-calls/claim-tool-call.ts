/** An attempt takes a tool call: one transaction under the locks of loop and call (R21, R26, R52, R75). */

import { sql } from 'kysely';
import { LostLease, SolidLoopError } from '../../domain/errors';
import { type ClaimNumber, type Generation, type ToolCallId, toId } from '../../domain/ids';
import type { Loop } from '../../domain/loop';
import { answerNextStep, type NextStepAnswer } from '../loops/answer-next-step';
import type { AnsweredToolCall } from './answered-tool-call';
import { toAnsweredToolCall } from './answered-tool-call';
import type { Database, DatabaseTransaction } from '../database';
import { failLoop } from '../loops/fail-loop';
import { type LockedPair, lockCall } from './lock-call';
import { notifyControl } from '../loops/notify-control';
import { findUnresolvedCalls, type LockedToolCall, type ToolCall } from '../repositories/tool-calls.repository';
import { holdsGeneration } from './tool-call-fence';
import { inTransaction } from '../transaction';

export interface ClaimToolCallOptions {
  readonly callId: ToolCallId;
  /** What the answer that asked for this step carried. */
  readonly generation: Generation;
  /** When Temporal scheduled this attempt. Milliseconds. */
  readonly attemptScheduledMs: number;
  readonly leaseSeconds: number;
  /** R75: while an unsafe call's holder was heard of within this time, nobody takes it. */
  readonly holderPatienceSeconds: number;
  /** With the last of so many attempts that ended without a report the loop fails (R46). */
  readonly lostAttemptsPerStep: number;
  /** Only the head may be claimed (R52). */
  readonly isSequential: boolean;
}

/**
 * `run`: enter the body. `respond`: it was executed, only the tool message is missing. `ask-outcome`: an unsafe call
 * started and left no checkpoint: its tool is asked what happened, and its body is never entered again.
 */
export type ToolCallMode = 'run' | 'respond' | 'ask-outcome';

export type ToolCallClaim =
  /** The loop has another generation, is not running, or this call is not the head: ask the tables. */
  | { readonly kind: 'superseded' }
  | AnsweredToolCall
  | {
      readonly kind: 'claimed';
      readonly claimNumber: ClaimNumber;
      readonly loop: Loop;
      readonly call: ToolCall;
      readonly mode: ToolCallMode;
      /** An earlier attempt held the call and never reported. */
      readonly isTakeover: boolean;
    };

/** A later claim of an unsafe call comes again after so long at most. Milliseconds. */
const STILL_RUNNING_DELAY_MS = 5_000;

/**
 * @throws LostLease for an attempt scheduled before the one that claimed last; ToolStillRunning with `retryAfterMs` (R75);
 * LoopNotFound where there is no such call; DatabaseUnavailable
 */
export function claimToolCall(db: Database, options: ClaimToolCallOptions): Promise<ToolCallClaim> {
  return inTransaction(db, async (trx) => {
    const pair = await lockCall(trx, options.callId);
    const { locked, lockedCall } = pair;
    if (locked.facts.generation !== options.generation) return { kind: 'superseded' };
    if (lockedCall.isAnswered) return toAnsweredToolCall(await answerNextStep(trx, locked));
    if (!holdsGeneration(locked, options.generation) || !(await mayBeNext(trx, pair, options))) return { kind: 'superseded' };
    assertNotOlder(lockedCall, options);
    const mode = modeOf(lockedCall);
    if (mode === 'ask-outcome') assertHolderIsSilent(lockedCall, options);
    const lostAttempts = lockedCall.lostAttempts + (lockedCall.hasLease ? 1 : 0);
    if (lostAttempts >= options.lostAttemptsPerStep) return toAnsweredToolCall(await failDyingCall(trx, pair, lostAttempts));
    if (lockedCall.hasLease) await notifyControl(trx, locked.loop.id);
    if (locked.unknownForSeconds !== null) await forgetUnknownAgent(trx, locked.loop.id);
    const claimNumber = await writeClaim(trx, options, { mode, lostAttempts });
    return { kind: 'claimed', claimNumber, loop: locked.loop, call: lockedCall.call, mode, isTakeover: lockedCall.hasLease };
  });
}

/** R52, under the lock: of a sequential agent only the first unresolved call. */
async function mayBeNext(
  trx: DatabaseTransaction,
  { locked }: LockedPair,
  { callId, isSequential }: ClaimToolCallOptions,
): Promise<boolean> {
  if (!isSequential) return true;
  const unresolved = await findUnresolvedCalls(trx, locked.loop.id);
  return unresolved[0]?.id === callId;
}

function assertNotOlder({ attemptScheduledMs }: LockedToolCall, options: ClaimToolCallOptions): void {
  if (options.attemptScheduledMs < attemptScheduledMs) throw new LostLease(`tool call ${options.callId}`);
}

function modeOf({ call, startedClaim }: LockedToolCall): ToolCallMode {
  if (call.isExecuted) return 'respond';
  return startedClaim !== null && call.effect === 'unsafe' ? 'ask-outcome' : 'run';
}

/** R75: the body may still be at work in a process that only lost its way to Temporal. */
function assertHolderIsSilent({ silentForSeconds }: LockedToolCall, { callId, holderPatienceSeconds }: ClaimToolCallOptions): void {
  if (silentForSeconds === null || silentForSeconds >= holderPatienceSeconds) return;
  const remainingMs = Math.ceil((holderPatienceSeconds - silentForSeconds) * 1000);
  throw new SolidLoopError(
    'ToolStillRunning',
    `tool call ${callId} is unsafe and its holder was heard of ${Math.round(silentForSeconds)} s ago; it is asked for again after ${holderPatienceSeconds} s of silence`,
    { retryAfterMs: Math.min(STILL_RUNNING_DELAY_MS, remainingMs) },
  );
}

/** A body that takes its worker down each time would take down every worker in turn. */
function failDyingCall(trx: DatabaseTransaction, { locked, lockedCall }: LockedPair, lostAttempts: number): Promise<NextStepAnswer> {
  const { id, name } = lockedCall.call;
  const message = `${lostAttempts} attempts of tool call ${id} (${name}) ended without a report; look at the workers' logs and memory, then retry`;
  return failLoop(trx, locked.loop.id, 'ToolKeepsDying', message);
}

async function forgetUnknownAgent(trx: DatabaseTransaction, loopId: Loop['id']): Promise<void> {
  await trx.updateTable('loops').set({ unknown_since: null }).where('id', '=', loopId).execute();
}

/** `started_at` is committed before the body is entered (R75); that of an earlier claim stays, which may have entered one. */
async function writeClaim(
  trx: DatabaseTransaction,
  options: ClaimToolCallOptions,
  { mode, lostAttempts }: { readonly mode: ToolCallMode; readonly lostAttempts: number },
): Promise<ClaimNumber> {
  const starts = mode === 'run';
  const { rows } = await sql<{ claim_number: string }>`
    update solid_loop.tool_calls
    set claim_number = claim_number + 1,
      generation = ${options.generation},
      attempt_scheduled_ms = ${options.attemptScheduledMs},
      lease_expires_at = clock_timestamp() + make_interval(secs => ${options.leaseSeconds}),
      renewed_at = clock_timestamp(),
      lost_attempts = ${lostAttempts},
      started_at = case when ${starts} then coalesce(started_at, clock_timestamp()) else started_at end,
      started_claim = case when ${starts} then coalesce(started_claim, claim_number + 1) else started_claim end,
      is_success = case when executed_at is null then null else is_success end,
      error_message = case when executed_at is null then null else error_message end,
      updated_at = clock_timestamp()
    where id = ${options.callId}
    returning claim_number`.execute(trx);
  return toId<ClaimNumber>(rows[0]?.claim_number ?? '');
}
