/** Rows of `messages`, read as the model is to see them: in order, each assistant message with its calls. */

import { type RawBuilder, sql } from 'kysely';
import { type LoopId, type MessageId, type ToolCallId, toId } from '../../domain/ids';
import type { JsonObject } from '../../domain/loop';
import type { MessageKind, MessageRole, MessageStatus, TranscriptMessage, TranscriptToolCall } from '../../domain/message';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';

/** A message as `TRANSCRIPT_JSON` builds it. Ids are texts, times ISO texts. */
export interface TranscriptJson {
  readonly id: string;
  readonly loop_id: string;
  readonly seq: number | null;
  readonly turn_number: number | null;
  readonly role: MessageRole;
  readonly kind: MessageKind;
  readonly status: MessageStatus;
  readonly is_hidden: boolean;
  readonly content: string | null;
  readonly reasoning_content: string | null;
  readonly tool_call_ref: string | null;
  readonly tool_call_id: string | null;
  readonly provider_extras: JsonObject | null;
  readonly metadata: JsonObject;
  readonly error_message: string | null;
  readonly created_at: string;
  readonly calls:
    readonly { readonly id: string; readonly provider_id: string; readonly name: string; readonly arguments_raw: string }[] | null;
}

/** One message `m` as json. Bigints are cast: a JSON number would lose digits. */
const TRANSCRIPT_MESSAGE: RawBuilder<TranscriptJson> = sql<TranscriptJson>`json_build_object(
  'id', m.id::text, 'loop_id', m.loop_id::text, 'seq', m.seq, 'turn_number', m.turn_number, 'role', m.role, 'kind', m.kind,
  'status', m.status, 'is_hidden', m.is_hidden, 'content', m.content, 'reasoning_content', m.reasoning_content,
  'tool_call_ref', m.tool_call_ref::text, 'tool_call_id', m.tool_call_id, 'provider_extras', m.provider_extras,
  'metadata', m.metadata, 'error_message', m.error_message, 'created_at', m.created_at,
  'calls', case when m.role = 'assistant' then (
    select json_agg(json_build_object('id', c.id::text, 'provider_id', c.tool_call_id, 'name', c.function_name,
      'arguments_raw', c.arguments_raw) order by c.position)
    from solid_loop.tool_calls c where c.message_id = m.id
  ) end)`;

/** The visible transcript of a loop as one json array, to stand beside a fence in one statement (R31). */
export const transcriptJsonOf = (loopId: LoopId): RawBuilder<readonly TranscriptJson[] | null> => sql<readonly TranscriptJson[] | null>`(
  select json_agg(${TRANSCRIPT_MESSAGE} order by m.seq)
  from solid_loop.messages m where m.loop_id = ${loopId} and not m.is_hidden)`;

export interface FindMessagesOptions {
  readonly loopId: LoopId;
  /** Pending, failed shells and what people hid as well. @default false */
  readonly withHidden?: boolean;
  /** Only these. @default all */
  readonly ids?: readonly MessageId[];
}

/**
 * In transcript order; what has no place yet comes last, in order of arrival.
 * @throws DatabaseUnavailable
 */
export async function findMessages(db: Database, options: FindMessagesOptions): Promise<readonly TranscriptMessage[]> {
  const statement = sql<{ message: TranscriptJson }>`
    select ${TRANSCRIPT_MESSAGE} as message from solid_loop.messages m
    where m.loop_id = ${options.loopId} and (not m.is_hidden or ${options.withHidden ?? false})
      and (${options.ids === undefined} or m.id = any(cast(${options.ids ?? []} as bigint[])))
    order by m.seq nulls last, m.id`;
  const { rows } = await namingUnavailable(() => statement.execute(db));
  return rows.map((row) => toTranscriptMessage(row.message));
}

export function toTranscriptMessage(row: TranscriptJson): TranscriptMessage {
  return {
    id: toId<MessageId>(row.id),
    loopId: toId<LoopId>(row.loop_id),
    seq: row.seq,
    turnNumber: row.turn_number,
    role: row.role,
    kind: row.kind,
    status: row.status,
    isHidden: row.is_hidden,
    content: row.content,
    reasoningContent: row.reasoning_content,
    toolCalls: (row.calls ?? []).map(toTranscriptCall),
    toolCallRef: row.tool_call_ref === null ? null : toId<ToolCallId>(row.tool_call_ref),
    toolCallProviderId: row.tool_call_id,
    providerExtras: row.provider_extras,
    metadata: row.metadata,
    errorMessage: row.error_message,
    createdAt: new Date(row.created_at),
  };
}

type CallJson = NonNullable<TranscriptJson['calls']>[number];

function toTranscriptCall(row: CallJson): TranscriptToolCall {
  return { id: toId<ToolCallId>(row.id), providerId: row.provider_id, name: row.name, arguments: replayableArguments(row.arguments_raw) };
}

/** P77: byte for byte as the model wrote them where they are a whole JSON object; a provider refuses anything else. */
function replayableArguments(raw: string): string {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? raw : '{}';
  } catch {
    return '{}';
  }
}
