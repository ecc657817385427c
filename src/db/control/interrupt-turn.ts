/** Ends the turn in flight for a message that should not wait for it (R62). */

import { sql } from 'kysely';
import type { LoopStatus } from '../../domain/loop';
import type { DatabaseTransaction } from '../database';
import { endStep } from '../loops/end-step';
import { queueTurnAgain } from '../turns/queue-turn-again';
import type { LockedLoop } from '../repositories/loops.repository';

/** Answers the status after it: `queued`, or what was to happen after this step. */
export async function interruptTurn(trx: DatabaseTransaction, { loop }: LockedLoop): Promise<LoopStatus> {
  const { id, turnNumber, generation } = loop;
  const queued = await queueTurnAgain(
    trx,
    { loopId: id, turnNumber, generation },
    { errorMessage: 'interrupted by a message', isFailure: false },
  );
  await trx
    .updateTable('loops')
    .set({ generation: sql`generation + 1` })
    .where('id', '=', id)
    .execute();
  const { loop: after } = await endStep(trx, queued, { isComplete: false, unresolved: [] });
  return after.status;
}
