/** The workflow's reading of the tables: what is next, now. */

import type { LoopId } from '../../domain/ids';
import { answerNextStep, type NextStepAnswer } from './answer-next-step';
import type { Database } from '../database';
import { clearWake } from './clear-wake';
import { lockLoop } from '../repositories/loops.repository';
import { inTransaction } from '../transaction';

export interface ReadNextStep extends NextStepAnswer {
  /** A turn whose attempt waits is asked for once more, now; any other comes again by itself (R67). */
  readonly isWantedAnew: boolean;
}

/**
 * Also clears `wake_due_at`: the wake that asked for this reading is answered by it (R67).
 * @throws LoopNotFound, DatabaseUnavailable
 */
export function readNextStep(db: Database, loopId: LoopId): Promise<ReadNextStep> {
  return inTransaction(db, async (trx) => {
    const locked = await lockLoop(trx, loopId);
    if (locked.wakeDueAt !== null) await clearWake(trx, loopId);
    const answer = await answerNextStep(trx, locked);
    return { ...answer, isWantedAnew: answer.next.kind === 'turn' && locked.isWantedAnew };
  });
}
