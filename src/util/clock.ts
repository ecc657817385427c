/** Time as it is passed in: a monotonic reading, the wall clock and timers. Tests pass their own. */

export interface Clock {
  /** Milliseconds since some fixed moment; never goes back, for measuring only. */
  readonly monotonicMs: () => number;
  readonly now: () => Date;
  /** Calls once after so many milliseconds; the answer takes it back. */
  readonly schedule: (milliseconds: number, callback: () => void) => CancelTimer;
}

export type CancelTimer = () => void;

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  now: () => new Date(),
  schedule: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
