/** Rows of `messages`, read as the model is to see them: in order, each assistant message with its calls. */

import { type Selectable, sql } from 'kysely';
import { type LoopId, type MessageId, type ToolCallId, toId } from '../../domain/ids';
import type { JsonObject } from '../../domain/loop';
import type { ContentPart, TranscriptMessage, TranscriptToolCall } from '../../domain/message';
import type { Database } from '../database';
import type { Messages, ToolCalls } from '../tables/generated';
import { namingUnavailable } from '../transaction';

export interface FindMessagesOptions {
  readonly loopId: LoopId;
  /** Pending, failed shells and what people hid as well. @default false */
  readonly withHidden?: boolean;
  /** Only these. @default all */
  readonly ids?: readonly MessageId[];
}

/**
 * In transcript order; what has no place yet comes last, in order of arrival. A call is written with its message and
 * stays as it is, so that two statements see whole messages.
 * @throws DatabaseUnavailable
 */
export function findMessages(db: Database, options: FindMessagesOptions): Promise<readonly TranscriptMessage[]> {
  return namingUnavailable(async () => {
    const messages = await selectMessages(db, options);
    if (messages.length === 0) return [];
    const calls = groupByMessage(await selectCalls(db, options));
    return messages.map((row) => toTranscriptMessage(row, calls.get(row.id) ?? []));
  });
}

const MESSAGE_COLUMNS = [
  'id',
  'loop_id',
  'seq',
  'turn_number',
  'role',
  'kind',
  'status',
  'is_hidden',
  'content',
  'content_parts',
  'reasoning_content',
  'tool_call_ref',
  'tool_call_id',
  'provider_extras',
  'metadata',
  'error_message',
] as const;

type MessageRow = Pick<Selectable<Messages>, (typeof MESSAGE_COLUMNS)[number]> & { readonly created_ms: number };

/** Times are read as numbers: the driver's own way to a date costs more than the rest of the row. */
function selectMessages(db: Database, { loopId, withHidden, ids }: FindMessagesOptions): Promise<readonly MessageRow[]> {
  let query = db
    .selectFrom('messages')
    .select(MESSAGE_COLUMNS)
    .select(sql<number>`cast(extract(epoch from created_at) * 1000 as float8)`.as('created_ms'))
    .where('loop_id', '=', loopId)
    .orderBy(sql`seq nulls last`)
    .orderBy('id');
  if (withHidden !== true) query = query.where('is_hidden', '=', false);
  if (ids !== undefined) query = query.where('id', '=', anyOf(ids));
  return query.execute();
}

const CALL_COLUMNS = ['id', 'message_id', 'tool_call_id', 'function_name', 'arguments_raw'] as const;

type CallRow = Pick<Selectable<ToolCalls>, (typeof CALL_COLUMNS)[number]>;

function selectCalls(db: Database, { loopId, ids }: FindMessagesOptions): Promise<readonly CallRow[]> {
  const query = db.selectFrom('tool_calls').select(CALL_COLUMNS).where('loop_id', '=', loopId).orderBy('message_id').orderBy('position');
  return (ids === undefined ? query : query.where('message_id', '=', anyOf(ids))).execute();
}

/** One statement text for any number of ids. */
const anyOf = (ids: readonly MessageId[]) => sql<string>`any(cast(${ids} as bigint[]))`;

function groupByMessage(rows: readonly CallRow[]): ReadonlyMap<string, readonly TranscriptToolCall[]> {
  const calls = new Map<string, TranscriptToolCall[]>();
  for (const row of rows) {
    const ofMessage = calls.get(row.message_id);
    if (ofMessage === undefined) calls.set(row.message_id, [toTranscriptCall(row)]);
    else ofMessage.push(toTranscriptCall(row));
  }
  return calls;
}

function toTranscriptMessage(row: MessageRow, toolCalls: readonly TranscriptToolCall[]): TranscriptMessage {
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
    ...(row.content_parts === null ? {} : { contentParts: row.content_parts as unknown as readonly ContentPart[] }),
    reasoningContent: row.reasoning_content,
    toolCalls,
    toolCallRef: row.tool_call_ref === null ? null : toId<ToolCallId>(row.tool_call_ref),
    toolCallProviderId: row.tool_call_id,
    providerExtras: row.provider_extras as JsonObject | null,
    metadata: row.metadata as JsonObject,
    errorMessage: row.error_message,
    createdAt: new Date(row.created_ms),
  };
}

function toTranscriptCall(row: CallRow): TranscriptToolCall {
  return {
    id: toId<ToolCallId>(row.id),
    providerId: row.tool_call_id,
    name: row.function_name,
    arguments: replayableArguments(row.arguments_raw),
  };
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
