/** The one tool message of a call, and the end of the tool phase with the last of them (R55). */

import { sql } from 'kysely';
import { type MessageId, toId } from '../../domain/ids';
import type { JsonObject } from '../../domain/loop';
import { type AnsweredToolCall, toAnsweredToolCall } from './answered-tool-call';
import { answerNextStep } from '../loops/answer-next-step';
import { type CheckpointOptions, writeCheckpoint } from './checkpoint-tool-call';
import { cleanText } from '../postgres/clean-text';
import type { Database, DatabaseTransaction } from '../database';
import { endStep } from '../loops/end-step';
import { toJsonb } from '../postgres/jsonb';
import { type LockedPair, lockCall } from './lock-call';
import { LOCKED_LOOP_COLUMNS, type LockedLoop, type LockedLoopRow, loopNotFound, toLockedLoop } from '../repositories/loops.repository';
import { type HeldToolCall, holdsToolCall } from './tool-call-fence';
import { inTransaction } from '../transaction';

export interface RespondOptions extends HeldToolCall {
  /** What the model reads. */
  readonly content: string;
  readonly metadata?: JsonObject;
}

/** `superseded`: the fences do not hold, and no message was written. */
export type ToolCallResponse = AnsweredToolCall | { readonly kind: 'superseded' };

/** @throws LoopNotFound, DatabaseUnavailable */
export function respondToolCall(db: Database, options: RespondOptions): Promise<ToolCallResponse> {
  return inTransaction(db, async (trx) => respondLocked(trx, await lockCall(trx, options.callId), options));
}

export interface SettleOptions extends RespondOptions, CheckpointOptions {}

/**
 * Checkpoint and response in one transaction: the checkpoint whenever its own fence holds, the message only if generation
 * and `running` hold too.
 * @throws LostLease where another claim holds the call; LoopNotFound, DatabaseUnavailable
 */
export function settleToolCall(db: Database, options: SettleOptions): Promise<ToolCallResponse> {
  return inTransaction(db, async (trx) => {
    const pair = await lockCall(trx, options.callId);
    await writeCheckpoint(trx, pair, options);
    return respondLocked(trx, pair, options);
  });
}

async function respondLocked(
  trx: DatabaseTransaction,
  { locked, lockedCall }: LockedPair,
  options: RespondOptions,
): Promise<ToolCallResponse> {
  if (lockedCall.isAnswered && locked.facts.generation === options.generation) return toAnsweredToolCall(await answerNextStep(trx, locked));
  if (lockedCall.isAnswered || !holdsToolCall(locked, lockedCall, options)) return { kind: 'superseded' };
  const { after, messageId, isLast } = await writeResponse(trx, { locked, lockedCall }, options);
  if (!isLast) return { kind: 'answered', loop: after.loop, pausedBy: null, messageId };
  return toAnsweredToolCall(await endStep(trx, after, { isComplete: false, unresolved: [] }), messageId);
}

interface ResponseRow extends LockedLoopRow {
  readonly message_id: string;
}

/** Of two calls that end together, the loop's lock lets one be last. */
async function writeResponse(
  trx: DatabaseTransaction,
  { locked, lockedCall }: LockedPair,
  options: RespondOptions,
): Promise<{ readonly after: LockedLoop; readonly messageId: MessageId; readonly isLast: boolean }> {
  const loopId = locked.loop.id;
  const { call } = lockedCall;
  const { rows } = await sql<ResponseRow>`
    with message as (
      insert into solid_loop.messages (loop_id, role, status, turn_number, generation, seq, content, metadata, tool_call_ref, tool_call_id)
      select ${loopId}, 'tool', 'success', ${call.turnNumber}, ${options.generation},
        (select coalesce(max(seq), 0) + 1 from solid_loop.messages where loop_id = ${loopId}),
        ${cleanText(options.content)}, ${toJsonb(options.metadata ?? {})}, ${options.callId}, ${call.providerId}
      returning id
    ), released as (
      update solid_loop.tool_calls set lease_expires_at = null, unknown_since = null, is_answered = true, updated_at = clock_timestamp()
      where id = ${options.callId}
      returning duration
    ), open_calls as (
      select c.id from solid_loop.tool_calls c
      where c.loop_id = ${loopId} and c.id <> ${options.callId}
        and not c.is_answered
    )
    update solid_loop.loops
    set duration_tools = duration_tools + coalesce((select duration from released), 0),
      status = case when exists (select from open_calls) then status else 'queued' end,
      status_changed_at = case when exists (select from open_calls) then status_changed_at else clock_timestamp() end,
      updated_at = clock_timestamp()
    where id = ${loopId}
    returning ${LOCKED_LOOP_COLUMNS}, (select id from message) as message_id`.execute(trx);
  const row = rows[0];
  if (row === undefined) throw loopNotFound(loopId);
  return { after: toLockedLoop(row), messageId: toId<MessageId>(row.message_id), isLast: row.status === 'queued' };
}
