/** User messages that wait for a claim while their loop is at rest: reported, and delivered when it goes on (R62). */

import type { LoopId } from '../../domain/ids';
import { isTerminal, type LoopStatus } from '../../domain/loop';
import type { DatabaseTransaction } from '../database';

/** 0 for a loop that goes on: the next claim delivers them. */
export async function countPending(trx: DatabaseTransaction, loopId: LoopId, status: LoopStatus): Promise<number> {
  if (!isTerminal(status) && status !== 'paused') return 0;
  const { count } = await trx
    .selectFrom('messages')
    .select((query) => query.fn.countAll<string>().as('count'))
    .where('loop_id', '=', loopId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return Number(count);
}
