/** The canonical commit of a turn: everything it brought, in one transaction, or nothing (R37-R39, R48). */

import type { MessageId } from '../../domain/ids';
import { answerNextStep, type NextStepAnswer, pauseInvalid } from '../loops/answer-next-step';
import type { Database, DatabaseTransaction } from '../database';
import { endStep } from '../loops/end-step';
import { type LockedLoop, lockLoop } from '../repositories/loops.repository';
import { inTransaction, isUniqueViolation } from '../transaction';
import { holdsTurn } from './turn-fence';
import { type AnsweredTurn, writeAnswer } from './write-answer';

export type TurnCommit =
  /** `messageIds`: the assistant message, then the answers of its rejected calls, in transcript order. */
  | ({ readonly kind: 'committed'; readonly messageIds: readonly MessageId[] } & NextStepAnswer)
  /** The fences do not hold: nothing was written. */
  | ({ readonly kind: 'answered' } & NextStepAnswer);

/**
 * The fences alone decide, whatever became of the attempt's signal. The caller has ended the renewal of its lease (R20).
 * @throws LoopNotFound, DatabaseUnavailable
 */
export async function commitTurn(db: Database, options: AnsweredTurn): Promise<TurnCommit> {
  try {
    return await inTransaction(db, async (trx) => {
      const locked = await lockLoop(trx, options.loopId);
      if (!holdsTurn(locked, options)) return { kind: 'answered', ...(await answerNextStep(trx, locked)) };
      return commitHeld(trx, options);
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return inTransaction(db, async (trx) => ({ kind: 'answered', ...(await answerCommitted(trx, options)) }));
  }
}

async function commitHeld(trx: DatabaseTransaction, options: AnsweredTurn): Promise<TurnCommit> {
  const { locked, messageIds, acceptedCalls, hasPending } = await writeAnswer(trx, options);
  const isComplete = options.answer.calls.length === 0 && !hasPending;
  return { kind: 'committed', messageIds, ...(await endStep(trx, locked, { isComplete, unresolved: acceptedCalls })) };
}

/** R25: an answer that is there is never asked for again. The loop cannot want this turn and have it: that is no state. */
async function answerCommitted(trx: DatabaseTransaction, options: AnsweredTurn): Promise<NextStepAnswer> {
  const locked: LockedLoop = await lockLoop(trx, options.loopId);
  if (!holdsTurn(locked, options)) return answerNextStep(trx, locked);
  return pauseInvalid(trx, locked, `turn ${options.turnNumber} is due, but it has a committed answer`);
}
