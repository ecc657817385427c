/** What an attempt of a turn that did not reach its commit writes, and what Temporal is told (R24, R41, R46, R58). */

import { CancelledFailure } from '@temporalio/common';
import { failTurn, releaseTurn, retryTurn } from '../db/turns/end-turn';
import { isSolidLoopError, LostLease, messageOf, SolidLoopError } from '../domain/errors';
import type { Generation, LoopId } from '../domain/ids';
import type { PlannedStep } from '../domain/planned-step';
import type { EngineSettings } from '../domain/settings';
import type { Spend } from '../domain/usage';
import { RATE_GOVERNOR_FIELD } from '../llm/turn/take-rate-place';
import type { Attempt } from './attempt';
import type { ActivityDependencies } from './dependencies';
import { GIVEN_BACK, READS_AGAIN } from './failures';
import { planStep } from './plan-step';

export interface ClaimedTurn {
  readonly loopId: LoopId;
  readonly turnNumber: number;
  readonly generation: Generation;
  /** Since the claim. */
  readonly elapsedSeconds: () => number;
  /** What the attempt paid for in vain. @default nothing */
  readonly discarded?: { readonly total: Spend | undefined };
}

/** Answers what is next where the turn ended for good; throws where the attempt is to come again. */
export async function endFailedTurn(deps: ActivityDependencies, attempt: Attempt, turn: ClaimedTurn, error: unknown): Promise<PlannedStep> {
  attempt.release();
  if (isSolidLoopError(error) && READS_AGAIN.has(error.code)) throw error;
  if (isSolidLoopError(error, 'ProviderRetryable') && error.field !== RATE_GOVERNOR_FIELD) return retryLater(deps, turn, error);
  if (isGivenBack(error)) {
    await releaseTurn(deps.db, { ...turn, discarded: turn.discarded?.total });
    throw error;
  }
  const code = isSolidLoopError(error) ? error.code : 'InternalError';
  if (code === 'InternalError')
    deps.logger.error({ loop: turn.loopId, turn: turn.turnNumber, err: error }, 'a turn failed with an error that nobody expected');
  const failure = { kind: 'failed', code, message: messageOf(error), durationSeconds: turn.elapsedSeconds() } as const;
  return planStep(deps, await failTurn(deps.db, { ...turn, failure, discarded: turn.discarded?.total }));
}

/** Our own rate limit is no failure of the provider, and is not counted. */
const isGivenBack = (error: unknown): boolean =>
  error instanceof CancelledFailure || (isSolidLoopError(error) && (GIVEN_BACK.has(error.code) || error.code === 'ProviderRetryable'));

async function retryLater(deps: ActivityDependencies, turn: ClaimedTurn, error: SolidLoopError): Promise<PlannedStep> {
  const retried = await retryTurn(deps.db, {
    ...turn,
    errorMessage: error.message,
    maximumFailures: deps.settings.providerFailuresPerTurn,
    durationSeconds: turn.elapsedSeconds(),
    discarded: turn.discarded?.total,
  });
  if (retried.kind === 'lost') throw new LostLease(`turn ${turn.turnNumber} of loop ${turn.loopId}`);
  if (retried.kind === 'failed' || retried.next.kind !== 'turn') return planStep(deps, retried);
  deps.logger.warn({ loop: turn.loopId, turn: turn.turnNumber, failures: retried.failures }, 'the provider failed; the turn comes again');
  throw new SolidLoopError('ProviderRetryable', error.message, {
    cause: error,
    retryAfterMs: error.retryAfterMs ?? backoffMs(retried.failures, deps.settings),
  });
}

/** 2 s, doubled with each failure of the turn, at most 120 s. */
export function backoffMs(failures: number, settings: EngineSettings): number {
  return Math.min(settings.providerBackoffMaximum, settings.providerBackoff * 2 ** (failures - 1)) * 1000;
}
