/** Rows of `messages`, read as the model is to see them: in order, each assistant message with its calls. */

import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type LoopId, type MessageId, type ToolCallId, toId } from '../../domain/ids';
import type { JsonObject } from '../../domain/loop';
import type { ContentPart, TranscriptMessage, TranscriptToolCall } from '../../domain/message';
import type { Database } from '../database';
import type { Messages } from '../tables/generated';
import { namingUnavailable } from '../transaction';

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
export function findMessages(db: Database, { loopId, withHidden, ids }: FindMessagesOptions): Promise<readonly TranscriptMessage[]> {
  return namingUnavailable(async () => {
    const { rows } = await sql<MessageRow>`
      select ${MESSAGE_COLUMNS} from solid_loop.messages m
      where m.loop_id = ${loopId} and (${withHidden ?? false} or not m.is_hidden)
        and (${ids === undefined} or m.id = any(cast(${ids ?? []} as bigint[])))
      order by m.seq nulls last, m.id`.execute(db);
    return rows.map(toTranscriptMessage);
  });
}

/**
 * What the model is to see of a loop, if `isHeld` (a condition on `loops`) is true of it in the same snapshot; else undefined.
 * @throws DatabaseUnavailable
 */
export function findTranscriptIf(
  db: Database,
  loopId: LoopId,
  isHeld: RawBuilder<unknown>,
): Promise<readonly TranscriptMessage[] | undefined> {
  return namingUnavailable(async () => {
    const { rows } = await sql<MessageRow | { readonly id: null }>`
      select ${MESSAGE_COLUMNS} from solid_loop.loops left join solid_loop.messages m on m.loop_id = loops.id and not m.is_hidden
      where loops.id = ${loopId} and ${isHeld}
      order by m.seq nulls last, m.id`.execute(db);
    return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null).map(toTranscriptMessage);
  });
}

interface CallRow {
  readonly id: string;
  readonly provider_id: string;
  readonly name: string;
  readonly arguments_raw: string;
}

type MessageRow = Pick<Selectable<Messages>, Exclude<keyof Messages, 'created_at'>> & {
  readonly created_ms: number;
  readonly calls: readonly CallRow[] | null;
};

/** Of messages `m`. Times are read as numbers: the driver's own way to a date costs more than the rest of the row. */
const MESSAGE_COLUMNS = sql<MessageRow>`
  m.id, m.loop_id, m.seq, m.turn_number, m.role, m.kind, m.status, m.is_hidden, m.content, m.content_parts, m.reasoning_content,
  m.tool_call_ref, m.tool_call_id, m.provider_extras, m.metadata, m.error_message,
  cast(extract(epoch from m.created_at) * 1000 as float8) as created_ms,
  case when m.role = 'assistant' then (
    select json_agg(json_build_object('id', cast(c.id as text), 'provider_id', c.tool_call_id, 'name', c.function_name,
      'arguments_raw', c.arguments_raw) order by c.position)
    from solid_loop.tool_calls c where c.message_id = m.id
  ) end as calls`;

function toTranscriptMessage(row: MessageRow): TranscriptMessage {
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
    toolCalls: (row.calls ?? []).map(toTranscriptCall),
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
    providerId: row.provider_id,
    name: row.name,
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
