/** Keeps, or takes back, what the transaction that ends the step is to do (R60). */

import type { LoopId } from '../../domain/ids';
import { cleanTextOrNull } from '../postgres/clean-text';
import type { DatabaseTransaction } from '../database';
import type { RequestedEnd } from '../repositories/loops.repository';

export async function setRequested(trx: DatabaseTransaction, loopId: LoopId, requested: RequestedEnd | null): Promise<void> {
  await trx
    .updateTable('loops')
    .set({
      requested: requested?.verb ?? null,
      requested_by: cleanTextOrNull(requested?.by),
      requested_reason: cleanTextOrNull(requested?.reason),
    })
    .where('id', '=', loopId)
    .execute();
}
