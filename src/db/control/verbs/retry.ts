/** `retry`: a failed turn as it was, or its failed calls (R65); or the next attempt now, without the rest of its back-off. */

import { sql } from 'kysely';
import type { LoopId } from '../../../domain/ids';
import type { DatabaseTransaction } from '../../database';
import { goOn } from '../go-on';
import { moved, type VerbContext, type VerbOutcome, waking } from '../verb-outcome';

export async function retry(context: VerbContext): Promise<VerbOutcome> {
  const { trx, locked } = context;
  const { id, status, turnNumber } = locked.loop;
  if (status !== 'failed') return waking(context);
  await bringBackMessages(trx, id, turnNumber);
  const { loop } = await goOn(trx, id);
  return moved(context, loop.status);
}

/** The messages that the failed turn was to answer are in work again. */
async function bringBackMessages(trx: DatabaseTransaction, loopId: LoopId, turnNumber: number): Promise<void> {
  await trx
    .updateTable('messages')
    .set({ status: 'processing', error_message: null, updated_at: sql`clock_timestamp()` })
    .where('loop_id', '=', loopId)
    .where('role', '=', 'user')
    .where('status', '=', 'failed')
    .where('turn_number', '=', turnNumber)
    .where('seq', 'is not', null)
    .execute();
}
