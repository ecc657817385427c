/** A clock that stands still until a test moves it. */

import type { CancelTimer, Clock } from '../../src/util/clock';

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

export class FakeClock implements Clock {
  /** Delays that were asked for, in order. Milliseconds. */
  readonly delays: number[] = [];
  #nowMs = 1_000_000;
  readonly #timers = new Set<Timer>();

  readonly monotonicMs = (): number => this.#nowMs;

  readonly now = (): Date => new Date(this.#nowMs);

  readonly schedule = (milliseconds: number, callback: () => void): CancelTimer => {
    const timer = { atMs: this.#nowMs + milliseconds, callback };
    this.delays.push(milliseconds);
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  /** Calls what is due on the way, in order of time; a timer set on the way counts too. */
  advance(milliseconds: number): void {
    const untilMs = this.#nowMs + milliseconds;
    for (let next = this.#nextDue(untilMs); next !== undefined; next = this.#nextDue(untilMs)) {
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
    }
    this.#nowMs = untilMs;
  }

  /** The process stands still for so long: what came due meanwhile is called late. */
  stall(milliseconds: number): void {
    this.#nowMs += milliseconds;
    this.advance(0);
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  #nextDue(untilMs: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.atMs <= untilMs);
    return due.toSorted((a, b) => a.atMs - b.atMs)[0];
  }
}
