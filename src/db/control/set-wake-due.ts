/** Marks that the workflow is to read the tables: cleared by its reading, sent again by the reconciler where that does not come (R67). */

import { sql } from 'kysely';
import type { LoopId } from '../../domain/ids';
import type { DatabaseTransaction } from '../database';

/** An older mark stays: it tells since when the workflow has not read. */
export async function setWakeDue(trx: DatabaseTransaction, loopId: LoopId): Promise<void> {
  await trx
    .updateTable('loops')
    .set({ wake_due_at: sql`coalesce(wake_due_at, clock_timestamp())` })
    .where('id', '=', loopId)
    .execute();
}
