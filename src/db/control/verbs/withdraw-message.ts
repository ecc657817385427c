/** `withdrawMessage`: a steering message that was not delivered yet never will be; it stays as a hidden row (R62). */

import { sql } from 'kysely';
import { lockSteering } from '../lock-steering';
import { changed, type RequestOf, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function withdrawMessage(context: VerbContext, { messageId, by }: RequestOf<'withdrawMessage'>): Promise<VerbOutcome> {
  const steering = await lockSteering(context, messageId);
  if (steering.kind === 'unchangeable') return steering.outcome;
  if (steering.kind === 'withdrawn') return changed({ ...context, effect: 'unchanged' }, messageId);
  await context.trx
    .updateTable('messages')
    .set({ status: 'failed', error_message: by === undefined ? 'withdrawn' : `withdrawn by ${by}`, updated_at: sql`clock_timestamp()` })
    .where('id', '=', messageId)
    .execute();
  return changed(context, messageId);
}
