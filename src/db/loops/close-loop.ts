/** Settles the tables before a workflow ends in any other way than they asked for (R27). */

import type { Generation, LoopId } from '../../domain/ids';
import { isTerminal } from '../../domain/loop';
import { answerNextStep, type NextStepAnswer } from './answer-next-step';
import type { Database } from '../database';
import { failLoop } from './fail-loop';
import { type LockedLoop, lockLoop } from '../repositories/loops.repository';
import { inTransaction } from '../transaction';

export interface CloseLoopOptions {
  readonly loopId: LoopId;
  /** Those of the step that failed: what it claimed, or else the last answer's. */
  readonly turnNumber: number;
  readonly generation: Generation;
  readonly code: string;
  readonly reason: string;
}

/**
 * Idempotent. `failed` with the reason, but only while turn number and generation are still the loop's and it is neither
 * paused, frozen nor ended; else nothing is written. Either way it answers what is next.
 * @throws LoopNotFound, DatabaseUnavailable
 */
export function closeLoop(db: Database, options: CloseLoopOptions): Promise<NextStepAnswer> {
  return inTransaction(db, async (trx) => {
    const locked = await lockLoop(trx, options.loopId);
    if (!isStillTheirs(locked, options)) return answerNextStep(trx, locked);
    return failLoop(trx, options.loopId, options.code, options.reason);
  });
}

function isStillTheirs({ facts }: LockedLoop, { turnNumber, generation }: CloseLoopOptions): boolean {
  if (isTerminal(facts.status) || facts.status === 'paused') return false;
  return facts.turnNumber === turnNumber && facts.generation === generation;
}
