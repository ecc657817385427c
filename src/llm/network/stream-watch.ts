/** Watches one request: our own deadlines, the step's signal, and the short wait after a finish reason, as one signal. */

import type { ProviderError } from '../errors/provider-error';

/** Milliseconds. Absent: no such deadline. */
export interface WatchLimits {
  /** From the request to the first content, reasoning or call. Servers that queue a request send comments meanwhile (P118). */
  readonly firstTokenMs?: number;
  /** Between two signs of progress, after the first token. */
  readonly progressMs?: number;
  /** Between two pieces of anything, from the request on. */
  readonly bytesMs: number;
  readonly wholeMs: number;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly limits: WatchLimits;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Makes the error of a deadline that passed. */
  readonly toError: (what: string) => ProviderError;
}

/** Longest delay that a timer takes without firing at once. */
const TIMER_LIMIT_MS = 2_147_483_647;

interface Deadline {
  readonly at: number;
  readonly what: string;
}

export class StreamWatch {
  readonly #options: WatchOptions;
  readonly #controller = new AbortController();
  readonly #startedAt: number;
  #bytesAt: number;
  #progressAt: number | undefined;
  #graceUntil: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isGraceOver = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    this.#bytesAt = this.#startedAt;
    if (options.signal.aborted) this.#follow();
    else options.signal.addEventListener('abort', this.#follow, { once: true });
    this.#arm();
  }

  /** Aborted with the step's own reason, or with the error of a deadline. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True where the wait for usage after the finish reason was what ended the reading. */
  get isGraceOver(): boolean {
    return this.#isGraceOver;
  }

  touchBytes(): void {
    this.#bytesAt = this.#options.now();
  }

  touchProgress(): void {
    const isFirst = this.#progressAt === undefined;
    this.#progressAt = this.#options.now();
    if (isFirst) this.#arm(); // another deadline counts from here on, and may be the earlier one
  }

  /** The answer is whole: what may still come is waited for so long only, and no other deadline counts. A later call may shorten it. */
  finishWithin(milliseconds: number): void {
    const until = this.#options.now() + milliseconds;
    if (this.#graceUntil !== undefined && this.#graceUntil <= until) return;
    this.#graceUntil = until;
    this.#arm();
  }

  /** The answer was not whole after all: the ordinary deadlines count again. */
  goOn(): void {
    if (this.#graceUntil === undefined) return;
    this.#graceUntil = undefined;
    this.#arm();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener('abort', this.#follow);
  }

  readonly #follow = (): void => {
    this.#controller.abort(this.#options.signal.reason);
  };

  /** Touches only note the time; the timer looks again when the earliest deadline would have come. */
  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#controller.signal.aborted) return;
    const next = this.#nextDeadline();
    const wait = Math.min(TIMER_LIMIT_MS, Math.max(1, next.at - this.#options.now()));
    this.#timer = setTimeout(() => this.#check(), wait);
  }

  #check(): void {
    const due = this.#nextDeadline();
    if (due.at > this.#options.now()) return this.#arm();
    this.#isGraceOver = this.#graceUntil !== undefined;
    this.#controller.abort(this.#options.toError(due.what));
  }

  #nextDeadline(): Deadline {
    const { firstTokenMs, progressMs, bytesMs, wholeMs } = this.#options.limits;
    if (this.#graceUntil !== undefined) return { at: this.#graceUntil, what: 'nothing came after the finish reason' };
    const deadlines: Deadline[] = [
      { at: this.#bytesAt + bytesMs, what: `nothing came for ${bytesMs / 1000} s (the read timeout)` },
      { at: this.#startedAt + wholeMs, what: `the answer was not whole after ${wholeMs / 1000} s (the turn's timeout)` },
    ];
    if (this.#progressAt === undefined && firstTokenMs !== undefined) {
      deadlines.push({ at: this.#startedAt + firstTokenMs, what: `no first token came within ${firstTokenMs / 1000} s` });
    }
    if (this.#progressAt !== undefined && progressMs !== undefined) {
      deadlines.push({ at: this.#progressAt + progressMs, what: `no text, reasoning, call or usage came for ${progressMs / 1000} s` });
    }
    return deadlines.reduce((earliest, deadline) => (deadline.at < earliest.at ? deadline : earliest));
  }
}
