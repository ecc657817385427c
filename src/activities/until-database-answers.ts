/** Asks again while the database is away, below code of users that would take its error for a failure of their own (R24, R46). */

import { setTimeout as delay } from 'node:timers/promises';
import { isSolidLoopError } from '../domain/errors';

const AGAIN_MS = 200;

export interface DatabasePatience {
  readonly seconds: number;
  /** Ends the asking: the promise rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** For what may be repeated. @throws DatabaseUnavailable when the patience is over; the signal's reason; whatever else `ask` throws */
export async function untilDatabaseAnswers<Answer>(ask: () => Promise<Answer>, { seconds, signal }: DatabasePatience): Promise<Answer> {
  const deadlineMs = performance.now() + seconds * 1_000;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isSolidLoopError(error, 'DatabaseUnavailable') || performance.now() > deadlineMs) throw error;
    }
    signal?.throwIfAborted();
    await delay(AGAIN_MS);
  }
}
