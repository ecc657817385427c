/** A message of a person, waiting as pending and hidden for the next claim of a turn to deliver it (R62). */

import { sql } from 'kysely';
import { type LoopId, type MessageId, toId } from '../../domain/ids';
import type { MessageContent, MessageKind } from '../../domain/message';
import { contentColumns } from '../postgres/content-columns';
import type { DatabaseTransaction } from '../database';

export interface UserMessage {
  readonly loopId: LoopId;
  /** Unique in its loop: the same key is the same message. */
  readonly key: string;
  /** `steering` can be edited and withdrawn until it is delivered. */
  readonly kind: MessageKind;
  readonly content: MessageContent;
}

/** The caller holds the loop's lock, so that the order of ids is the order of arrival. */
export async function insertUserMessage(trx: DatabaseTransaction, message: UserMessage): Promise<MessageId> {
  const { id } = await trx
    .insertInto('messages')
    .values({
      loop_id: message.loopId,
      role: 'user',
      kind: message.kind,
      key: message.key,
      status: 'pending',
      is_hidden: true,
      ...contentColumns(message.content),
    })
    .onConflict((conflict) => conflict.columns(['loop_id', 'key']).doUpdateSet({ key: sql`excluded.key` }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return toId<MessageId>(id);
}
