/** One message of a locked loop, locked as well: loop first, then message (R23). */

import { sql } from 'kysely';
import type { LoopId } from '../../domain/ids';
import type { MessageRole, MessageKind, MessageStatus } from '../../domain/message';
import type { DatabaseTransaction } from '../database';

export interface LockedMessage {
  readonly id: string;
  readonly role: MessageRole;
  readonly kind: MessageKind;
  readonly status: MessageStatus;
  readonly is_hidden: boolean;
  /** Null: never delivered. */
  readonly seq: number | null;
  readonly content: string | null;
  readonly tool_call_ref: string | null;
}

/** Undefined where the loop has no such message. */
export async function lockMessage(trx: DatabaseTransaction, loopId: LoopId, messageId: string): Promise<LockedMessage | undefined> {
  const { rows } = await sql<LockedMessage>`
    select id, role, kind, status, is_hidden, seq, content, tool_call_ref from solid_loop.messages
    where id = ${messageId} and loop_id = ${loopId} for no key update`.execute(trx);
  return rows[0];
}
