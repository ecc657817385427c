/** Rows of `events` that the protocol itself writes: what happened beside the transcript. */

import type { LoopId, MessageId, ToolCallId } from '../../domain/ids';
import type { JsonObject } from '../../domain/loop';
import { cleanTextOrNull } from '../postgres/clean-text';
import type { Database } from '../database';
import { toJsonb } from '../postgres/jsonb';
import { namingUnavailable } from '../transaction';

export interface ProtocolEvent {
  readonly loopId: LoopId;
  /** Noun and verb, or the name of an error: `InvalidState`, `CheckpointAfterAnswer`. */
  readonly kind: string;
  readonly turnNumber?: number;
  readonly messageId?: MessageId;
  readonly toolCallId?: ToolCallId;
  readonly name?: string;
  readonly request?: JsonObject;
  readonly response?: JsonObject;
  readonly error?: string;
}

/**
 * Inside a transaction it is part of what happened; outside it stands alone.
 * @throws DatabaseUnavailable
 */
export async function insertEvent(db: Database, event: ProtocolEvent): Promise<void> {
  const statement = db.insertInto('events').values({
    loop_id: event.loopId,
    kind: event.kind,
    turn_number: event.turnNumber ?? null,
    message_id: event.messageId ?? null,
    tool_call_id: event.toolCallId ?? null,
    name: event.name ?? null,
    request: toJsonb(event.request),
    response: toJsonb(event.response),
    error: cleanTextOrNull(event.error),
  });
  await namingUnavailable(() => statement.execute());
}
