/** Waits for something to become true: asks again and again, ever less often, until a deadline. */

import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;
const PAUSE_GROWTH = 1.5;

export interface WaitUntilOptions {
  readonly timeoutMs: number;
  /** What is waited for; the error says that it did not happen. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}

/** The time was over before the condition held. */
export class WaitTimeout extends Error {
  override readonly name = 'WaitTimeout';
}

/**
 * Answers the first value of `probe` that is neither undefined nor false.
 * @throws WaitTimeout after `timeoutMs`; the signal's reason when aborted; whatever the probe throws
 */
export async function waitUntil<Value>(
  probe: () => Promise<Value | undefined | false> | Value | undefined | false,
  { timeoutMs, what, signal }: WaitUntilOptions,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * PAUSE_GROWTH, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    const left = deadline - performance.now();
    if (left <= 0) throw new WaitTimeout(`${what} did not happen within ${timeoutMs} ms`);
    await pauseFor(Math.min(pause, left), signal);
  }
}

async function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    // The timer's own AbortError hides why the wait was given up.
    signal?.throwIfAborted();
    throw error;
  }
}
