/** `retry`: a failed turn as it was, or its failed calls (R65); or the next attempt now, without the rest of its back-off. */

import { sql } from 'kysely';
import type { LoopId } from '../../../domain/ids';
import type { DatabaseTransaction } from '../../database';
import { setLoopGoing } from '../../loops/set-loop-going';
import { moved, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function retry(context: VerbContext): Promise<VerbOutcome> {
  const { trx, locked } = context;
  const { id, status, turnNumber } = locked.loop;
  if (status !== 'failed') {
    await skipWait(trx, id);
    return moved(context, status);
  }
  await bringBackMessages(trx, id, turnNumber);
  const { loop } = await setLoopGoing(trx, id);
  return moved(context, loop.status);
}

/** What waits carries an older generation from here on: the workflow gives it up, and asks for the step anew (R67). */
async function skipWait(trx: DatabaseTransaction, loopId: LoopId): Promise<void> {
  await trx
    .updateTable('loops')
    .set({ generation: sql`generation + 1`, retry_generation: sql`generation + 1`, turn_failures: 0, updated_at: sql`clock_timestamp()` })
    .where('id', '=', loopId)
    .execute();
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
