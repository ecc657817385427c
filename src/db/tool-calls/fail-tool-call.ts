/** How a tool call ends without its message: the loop failed (R56, R57), or the call given back (R58). */

import { sql } from 'kysely';
import { type ErrorCode, LostLease } from '../../domain/errors';
import type { ClaimNumber, Generation, ToolCallId } from '../../domain/ids';
import { answerNextStep, type NextStepAnswer } from '../loops/answer-next-step';
import { cleanText } from '../postgres/clean-text';
import type { Database, DatabaseTransaction } from '../database';
import { failLoop } from '../loops/fail-loop';
import { lockCall, type LockedPair } from './lock-call';
import { type HeldToolCall, holdsGeneration, holdsToolCall } from './tool-call-fence';
import { inTransaction } from '../transaction';

export interface FailToolCallOptions {
  readonly callId: ToolCallId;
  readonly generation: Generation;
  /** What the claim gave; null where the failure came before it. */
  readonly claimNumber: ClaimNumber | null;
  readonly errorCode: ErrorCode;
  readonly errorMessage: string;
}

/** `answered`: its message was written before, so there is nothing to fail. */
export type ToolCallFailure = { readonly kind: 'failed' | 'answered' } & NextStepAnswer;

/**
 * A call that was claimed and not executed is marked failed with the loop (R56). The continuation of an executed one, or a
 * failure before the claim, fails the loop alone (R57). Read from the row under the locks, never from memory (R24).
 * @throws LostLease where a fence does not hold, and nothing was written; LoopNotFound, DatabaseUnavailable
 */
export function failToolCall(db: Database, options: FailToolCallOptions): Promise<ToolCallFailure> {
  return inTransaction(db, async (trx) => {
    const pair = await lockCall(trx, options.callId);
    if (!holdsFences(pair, options)) throw new LostLease(`tool call ${options.callId}`);
    if (pair.lockedCall.isAnswered) return { kind: 'answered', ...(await answerNextStep(trx, pair.locked)) };
    if (options.claimNumber !== null && !pair.lockedCall.call.isExecuted) await markFailed(trx, options);
    return { kind: 'failed', ...(await failLoop(trx, pair.locked.loop.id, options.errorCode, options.errorMessage)) };
  });
}

/** R57 asks for the generation alone, R56 for the call's claim number too. */
function holdsFences({ locked, lockedCall }: LockedPair, { generation, claimNumber }: FailToolCallOptions): boolean {
  if (!holdsGeneration(locked, generation)) return false;
  return claimNumber === null || lockedCall.call.isExecuted || lockedCall.claimNumber === claimNumber;
}

async function markFailed(trx: DatabaseTransaction, { callId, errorMessage }: FailToolCallOptions): Promise<void> {
  await trx
    .updateTable('tool_calls')
    .set({ is_success: false, error_message: cleanText(errorMessage), lease_expires_at: null })
    .where('id', '=', callId)
    .execute();
}

export interface ReleaseToolCallOptions extends HeldToolCall {
  /** False only where the attempt is sure that the body was not entered: the call counts as never started. */
  readonly wasEntered: boolean;
}

/**
 * The attempt ends without a result (shutdown, cancelled, operator, unknown tool). Whether anything was written.
 * @throws LoopNotFound, DatabaseUnavailable
 */
export function releaseToolCall(db: Database, options: ReleaseToolCallOptions): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { locked, lockedCall } = await lockCall(trx, options.callId);
    if (lockedCall.isAnswered || !holdsToolCall(locked, lockedCall, options)) return false;
    const isUnstarted = !options.wasEntered && lockedCall.startedClaim === options.claimNumber;
    await sql`
      update solid_loop.tool_calls
      set lease_expires_at = null,
        started_at = case when ${isUnstarted} then null else started_at end,
        started_claim = case when ${isUnstarted} then null else started_claim end,
        updated_at = clock_timestamp()
      where id = ${options.callId}`.execute(trx);
    return true;
  });
}
