/** Which canonical messages the agent's `onMessageCreated` has not seen, and that it has (R47). */

import { sql } from 'kysely';
import { type LoopId, type MessageId, toId } from '../../domain/ids';
import type { TranscriptMessage } from '../../domain/message';
import type { Database } from '../database';
import { findMessages } from '../repositories/messages.repository';
import { namingUnavailable } from '../transaction';

/**
 * In transcript order. A message that fell out of it before its hook ran is not among them.
 * @throws DatabaseUnavailable
 */
export function findUnhookedMessages(db: Database, loopId: LoopId): Promise<readonly TranscriptMessage[]> {
  return namingUnavailable(async () => {
    const rows = await db
      .selectFrom('messages')
      .select('id')
      .where('loop_id', '=', loopId)
      .where('hooked_at', 'is', null)
      .where('is_hidden', '=', false)
      .execute();
    return rows.length === 0 ? [] : findMessages(db, { loopId, ids: rows.map((row) => toId<MessageId>(row.id)) });
  });
}

/**
 * After the hook returned, or failed for good: at least once, never for ever. A second mark keeps the first time.
 * @throws DatabaseUnavailable
 */
export async function markHooked(db: Database, messageIds: readonly MessageId[]): Promise<void> {
  if (messageIds.length === 0) return;
  await namingUnavailable(() =>
    db
      .updateTable('messages')
      .set({ hooked_at: sql<Date>`clock_timestamp()` })
      .where('id', 'in', messageIds)
      .where('hooked_at', 'is', null)
      .execute(),
  );
}
