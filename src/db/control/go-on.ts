/** A loop that had ended goes on (R65): its next end is announced again. */

import type { LoopId } from '../../domain/ids';
import type { DatabaseTransaction } from '../database';
import type { LockedLoop } from '../repositories/loops.repository';
import { setLoopGoing } from '../set-loop-going';

export async function goOn(trx: DatabaseTransaction, loopId: LoopId): Promise<LockedLoop> {
  await trx.updateTable('loops').set({ finished_notified_at: null }).where('id', '=', loopId).execute();
  return setLoopGoing(trx, loopId);
}
