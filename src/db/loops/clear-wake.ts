/** Takes back the mark that a wake is due: the tables are being read (R67). */

import type { LoopId } from '../../domain/ids';
import type { DatabaseTransaction } from '../database';

/** The caller holds the loop's lock. */
export async function clearWake(trx: DatabaseTransaction, loopId: LoopId): Promise<void> {
  await trx.updateTable('loops').set({ wake_due_at: null }).where('id', '=', loopId).execute();
}
