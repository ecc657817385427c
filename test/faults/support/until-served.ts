/** Asks again while a server is away: what a person does in an outage. */

import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { isSolidLoopError } from '../../../src/domain/errors';

const AGAIN_MS = 200;
const LIMIT_MS = 60_000;
const LONG_MS = 5_000;
const GRPC_UNAVAILABLE = [1, 4, 14];

export async function untilServed<Answer>(ask: () => Promise<Answer>, onAgain: () => void = () => undefined): Promise<Answer> {
  let awaySince = Infinity;
  for (;;) {
    const askedAt = Date.now();
    try {
      return await ask();
    } catch (error) {
      // What took long was answered in between.
      awaySince = Date.now() - askedAt > LONG_MS ? Date.now() : Math.min(awaySince, Date.now());
      if (!isAway(error) || Date.now() - awaySince > LIMIT_MS) throw error;
      onAgain();
      await delay(AGAIN_MS);
    }
  }
}

/** The SDK wraps gRPC's own errors in a cause. */
function isAway(error: unknown): boolean {
  if (isSolidLoopError(error, 'DatabaseUnavailable') || isSolidLoopError(error, 'TemporalUnavailable')) return true;
  if (isGrpcServiceError(error)) return GRPC_UNAVAILABLE.includes(error.code);
  return error instanceof Error && error.cause !== undefined && isAway(error.cause);
}
