/** Tells the processes that hold a loop that its fences changed: they read them again at once (R60). */

import { sql } from 'kysely';
import type { LoopId } from '../../domain/ids';
import type { DatabaseTransaction } from '../database';

/** Channel of control; its payload is the loop's id. */
export const CONTROL_CHANNEL = 'solid_loop_control';

/** Delivered on commit. For rare changes only: NOTIFY takes a lock of the whole server at commit. */
export async function notifyControl(trx: DatabaseTransaction, loopId: LoopId): Promise<void> {
  await sql`select pg_notify(${CONTROL_CHANNEL}, ${loopId})`.execute(trx);
}
