/** `retry`: a failed turn as it was, or its failed calls (R65); or the next attempt now, without the rest of its back-off. */

import { sql } from 'kysely';
import type { LoopId } from '../../../domain/ids';
import type { DatabaseTransaction } from '../../database';
import { goOn } from '../go-on';
import type { VerbContext, VerbOutcome } from '../verb-outcome';

export async function retry({ trx, locked, effect }: VerbContext): Promise<VerbOutcome> {
  const { id, status, turnNumber } = locked.loop;
  if (status !== 'failed') return { kind: 'done', effect, status, movesFence: false, wakes: true };
  await bringBackMessages(trx, id, turnNumber);
  const { loop } = await goOn(trx, id);
  return { kind: 'done', effect, status: loop.status, movesFence: true, wakes: true };
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
