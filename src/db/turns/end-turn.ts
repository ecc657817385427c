/** How a claimed turn ends without a committed answer: for good, to come again, or given back (R24, R41, R46, R58). */

import { sql } from 'kysely';
import type { TurnFailure } from '../../domain/turn';
import { answerAtRest, answerNextStep, type NextStepAnswer } from '../loops/answer-next-step';
import { cleanText } from '../postgres/clean-text';
import type { Database, DatabaseTransaction } from '../database';
import { endStep } from '../loops/end-step';
import { failLoop } from '../loops/fail-loop';
import { queueTurnAgain } from './queue-turn-again';
import { type LockedLoop, lockLoop } from '../repositories/loops.repository';
import { setLoopAtRest } from '../loops/set-loop-at-rest';
import { inTransaction } from '../transaction';
import { addDiscarded, type DiscardingTurn } from './add-discarded';
import { type HeldTurn, holdsTurn } from './turn-fence';

export interface FailTurnOptions extends DiscardingTurn {
  readonly failure: TurnFailure;
}

/** `answered`: the fences do not hold, and nothing was written. */
export type TurnEnd = { readonly kind: 'ended' | 'answered' } & NextStepAnswer;

/**
 * R41: a full context ends the loop `completed`, anything else `failed` with the triggering messages. Step and duration
 * are counted. Pending messages wait for a reopen.
 * @throws LoopNotFound, DatabaseUnavailable
 */
export function failTurn(db: Database, options: FailTurnOptions): Promise<TurnEnd> {
  return inTransaction(db, async (trx) => {
    const locked = await lockLoop(trx, options.loopId);
    if (!holdsTurn(locked, options)) return { kind: 'answered', ...(await answerNextStep(trx, locked)) };
    return { kind: 'ended', ...(await endHeldTurn(trx, options)) };
  });
}

async function endHeldTurn(trx: DatabaseTransaction, { failure, ...turn }: FailTurnOptions): Promise<NextStepAnswer> {
  await addDiscarded(trx, turn);
  await countStep(trx, turn, failure.durationSeconds);
  if (failure.kind === 'failed') return failLoop(trx, turn.loopId, failure.code, failure.message);
  await trx
    .updateTable('messages')
    .set({ status: 'success' })
    .where('loop_id', '=', turn.loopId)
    .where('turn_number', '=', turn.turnNumber)
    .where('role', '=', 'user')
    .where('status', '=', 'processing')
    .execute();
  return answerAtRest(
    await setLoopAtRest(trx, turn.loopId, { status: 'completed', errorCode: 'ContextLimit', errorMessage: failure.message }),
  );
}

export interface RetryTurnOptions extends DiscardingTurn {
  readonly errorMessage: string;
  /** The failure with this number ends the loop (R46). */
  readonly maximumFailures: number;
  /** Of this attempt; counted only where it ends the loop. Seconds. @default 0 */
  readonly durationSeconds?: number;
}

export type TurnRetry =
  /** `failures` of this turn so far. `next` may be `wait` or `done`: a pause or stop that was asked for after the step. */
  | ({ readonly kind: 'retrying'; readonly failures: number } & NextStepAnswer)
  | ({ readonly kind: 'failed' } & NextStepAnswer)
  /** The fences do not hold: nothing was written. */
  | { readonly kind: 'lost' };

/**
 * A provider's failure that may pass: `queued` again with `turn_failures` + 1, or `failed` with the last allowed one.
 * @throws LoopNotFound, DatabaseUnavailable
 */
export function retryTurn(db: Database, options: RetryTurnOptions): Promise<TurnRetry> {
  return inTransaction(db, async (trx) => {
    const locked = await lockLoop(trx, options.loopId);
    if (!holdsTurn(locked, options)) return { kind: 'lost' };
    await addDiscarded(trx, options);
    const failures = locked.loop.turnFailures + 1;
    if (failures < options.maximumFailures) {
      const queued = await queueTurnAgain(trx, options, { errorMessage: cleanText(options.errorMessage), isFailure: true });
      return { kind: 'retrying', failures, ...(await endAttempt(trx, queued)) };
    }
    await countStep(trx, options, options.durationSeconds ?? 0, 1);
    const message = `the provider failed ${failures} times in a row, the last with: ${options.errorMessage}`;
    return { kind: 'failed', ...(await failLoop(trx, options.loopId, 'ProviderFinal', message)) };
  });
}

/** A pause or stop after the step need not wait for the next attempt: none is in flight (R60). */
function endAttempt(trx: DatabaseTransaction, queued: LockedLoop): Promise<NextStepAnswer> {
  return endStep(trx, queued, { isComplete: false, unresolved: [] });
}

/**
 * R58: the attempt ends without a failure of the turn (shutdown, cancelled, operator). Whether anything was written.
 * @throws LoopNotFound, DatabaseUnavailable
 */
export function releaseTurn(db: Database, turn: DiscardingTurn): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const locked = await lockLoop(trx, turn.loopId);
    if (!holdsTurn(locked, turn)) return false;
    await addDiscarded(trx, turn);
    const queued = await queueTurnAgain(trx, turn, { errorMessage: 'the attempt was ended before its answer was whole', isFailure: false });
    await endAttempt(trx, queued);
    return true;
  });
}

/** Only what ends the loop is a step: attempts that will be retried are none (R41). */
async function countStep(trx: DatabaseTransaction, { loopId }: HeldTurn, durationSeconds: number, failures = 0): Promise<void> {
  await sql`
    update solid_loop.loops
    set step_count = step_count + 1, duration_generation = duration_generation + ${durationSeconds},
      turn_failures = turn_failures + ${failures}
    where id = ${loopId}`.execute(trx);
}
