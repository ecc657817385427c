/** Rows of `tool_calls`: the unresolved ones of a loop, and one as it is read under its lock. */

import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type ClaimNumber, type LoopId, type MessageId, type ToolCallId, toId } from '../../domain/ids';
import type { JsonObject } from '../../domain/loop';
import type { UnresolvedCall } from '../../domain/next-step';
import type { ToolEffect } from '../../domain/tool-call';
import type { Database } from '../database';
import type { ToolCalls } from '../tables/generated';

type ToolCallRow = Selectable<ToolCalls>;

/** A tool call as the engine runs it. Seconds. */
export interface ToolCall {
  readonly id: ToolCallId;
  /** The uuid that the idempotency key is made of (R53). */
  readonly key: string;
  readonly loopId: LoopId;
  readonly messageId: MessageId;
  /** The turn whose answer asked for it. */
  readonly turnNumber: number | null;
  readonly position: number;
  readonly providerId: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly argumentsRaw: string;
  readonly effect: ToolEffect;
  readonly mcpSessionId: string | null;
  readonly metadata: JsonObject;
  /** The checkpoint was written: the body is not run again (R54). */
  readonly isExecuted: boolean;
  readonly isSuccess: boolean | null;
  readonly result: string | null;
  readonly errorMessage: string | null;
  readonly duration: number | null;
}

/** A call under its row lock, with what the protocol decides by. */
export interface LockedToolCall {
  readonly call: ToolCall;
  readonly claimNumber: ClaimNumber;
  readonly startedClaim: ClaimNumber | null;
  readonly attemptScheduledMs: number;
  readonly hasLease: boolean;
  /** Attempts that held it and never reported. */
  readonly lostAttempts: number;
  /** Since its holder was last heard of (claimed or renewed). Seconds; null where nobody ever held it. */
  readonly silentForSeconds: number | null;
  readonly unknownForSeconds: number | null;
  /** Its tool message is written. */
  readonly isAnswered: boolean;
}

const CALL_COLUMNS = [
  'id',
  'key',
  'loop_id',
  'message_id',
  'position',
  'tool_call_id',
  'function_name',
  'arguments',
  'arguments_raw',
  'effect',
  'mcp_session_id',
  'metadata',
  'executed_at',
  'is_success',
  'result',
  'error_message',
  'duration',
  'claim_number',
  'started_claim',
  'attempt_scheduled_ms',
  'lost_attempts',
  'lease_expires_at',
  'is_answered',
] as const;

type CallRow = Pick<ToolCallRow, (typeof CALL_COLUMNS)[number]>;

type PrefixedCallRow = { readonly [Column in keyof CallRow as `call_${Column}`]: CallRow[Column] };

/** A row of `tool_calls` beside that of its loop, with the times that only the database's clock can tell. */
export interface LockedToolCallRow extends PrefixedCallRow {
  readonly call_turn_number: number | null;
  readonly call_silent_for_seconds: number | null;
  readonly call_unknown_for_seconds: number | null;
}

/** Columns of a `LockedToolCallRow`, for `select … from solid_loop.tool_calls c`. */
export const LOCKED_CALL_COLUMNS: RawBuilder<LockedToolCallRow> = sql<LockedToolCallRow>`
  ${sql.join(CALL_COLUMNS.map((column) => sql`${sql.ref(`c.${column}`)} as ${sql.ref(`call_${column}`)}`))},
  (select turn_number from solid_loop.messages where id = c.message_id) as call_turn_number,
  cast(extract(epoch from clock_timestamp() - c.renewed_at) as float8) as call_silent_for_seconds,
  cast(extract(epoch from clock_timestamp() - c.unknown_since) as float8) as call_unknown_for_seconds`;

/** Calls without their tool message, executed or not, in call order (R25). */
export async function findUnresolvedCalls(db: Database, loopId: LoopId): Promise<readonly UnresolvedCall[]> {
  const { rows } = await sql<{ id: string; function_name: string }>`
    select c.id, c.function_name from solid_loop.tool_calls c
    where c.loop_id = ${loopId} and not c.is_answered
    order by c.message_id, c.position`.execute(db);
  return rows.map((row) => ({ id: toId<ToolCallId>(row.id), name: row.function_name }));
}

export function toLockedToolCall(prefixed: LockedToolCallRow): LockedToolCall {
  const row = withoutPrefix(prefixed);
  return {
    call: toToolCall(row, prefixed.call_turn_number),
    claimNumber: toId<ClaimNumber>(row.claim_number),
    startedClaim: row.started_claim === null ? null : toId<ClaimNumber>(row.started_claim),
    attemptScheduledMs: Number(row.attempt_scheduled_ms),
    hasLease: row.lease_expires_at !== null,
    lostAttempts: row.lost_attempts,
    silentForSeconds: prefixed.call_silent_for_seconds,
    unknownForSeconds: prefixed.call_unknown_for_seconds,
    isAnswered: row.is_answered,
  };
}

const withoutPrefix = (row: PrefixedCallRow): CallRow =>
  Object.fromEntries(CALL_COLUMNS.map((column) => [column, row[`call_${column}`]])) as unknown as CallRow;

/** `turnNumber` is that of the call's assistant message. */
function toToolCall(row: CallRow, turnNumber: number | null): ToolCall {
  return {
    id: toId<ToolCallId>(row.id),
    key: row.key,
    loopId: toId<LoopId>(row.loop_id),
    messageId: toId<MessageId>(row.message_id),
    turnNumber,
    position: row.position,
    providerId: row.tool_call_id,
    name: row.function_name,
    arguments: row.arguments as JsonObject,
    argumentsRaw: row.arguments_raw,
    effect: row.effect,
    mcpSessionId: row.mcp_session_id,
    metadata: row.metadata as JsonObject,
    isExecuted: row.executed_at !== null,
    isSuccess: row.is_success,
    result: row.result,
    errorMessage: row.error_message,
    duration: row.duration,
  };
}
