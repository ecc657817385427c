/** What the transaction that ends a step does last: the pause or stop that was asked for after it (R38, R60). */

import type { UnresolvedCall } from '../../domain/next-step';
import { nextStep } from '../../domain/next-step';
import { answerAtRest, type NextStepAnswer, toAnswer } from './answer-next-step';
import type { DatabaseTransaction } from '../database';
import type { LockedLoop, RequestedEnd } from '../repositories/loops.repository';
import { type Rest, setLoopAtRest } from './set-loop-at-rest';

/**
 * `locked` is the loop as the step left it, `running` or `queued`; `unresolved` its calls, in order. A loop with nothing
 * left to do is `completed`, which outranks what was asked.
 */
export async function endStep(
  trx: DatabaseTransaction,
  locked: LockedLoop,
  { isComplete, unresolved }: { readonly isComplete: boolean; readonly unresolved: readonly UnresolvedCall[] },
): Promise<NextStepAnswer> {
  if (isComplete) return answerAtRest(await setLoopAtRest(trx, locked.loop.id, { status: 'completed' }));
  if (locked.requested === null) return toAnswer(locked, nextStep(locked.facts, unresolved));
  return answerAtRest(await setLoopAtRest(trx, locked.loop.id, toRest(locked.requested)));
}

function toRest({ verb, by, reason }: RequestedEnd): Rest {
  if (verb === 'pause') return { status: 'paused', by, reason };
  return { status: 'cancelled', ...(reason === null ? {} : { errorMessage: reason }) };
}
