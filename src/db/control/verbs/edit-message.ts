/** `editMessage`: new words for a steering message that was not delivered yet (R62). */

import { sql } from 'kysely';
import { contentColumns } from '../../postgres/content-columns';
import { lockSteering, unchangeable } from '../lock-steering';
import { changed, type RequestOf, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function editMessage(context: VerbContext, { messageId, message: content }: RequestOf<'editMessage'>): Promise<VerbOutcome> {
  const steering = await lockSteering(context, messageId);
  if (steering.kind === 'unchangeable') return steering.outcome;
  if (steering.kind === 'withdrawn') return unchangeable(`message ${messageId} was withdrawn: send another one`).outcome;
  await context.trx
    .updateTable('messages')
    .set({ ...contentColumns(content), updated_at: sql`clock_timestamp()` })
    .where('id', '=', messageId)
    .execute();
  return changed(context, messageId);
}
