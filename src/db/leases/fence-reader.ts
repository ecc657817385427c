/** Reads the fences of leases again, at once after a notice, and marks those that do not hold any more (R16, R17). */

import type { LoopId } from '../../domain/ids';
import { messageOf } from '../../domain/errors';
import type { CancelTimer, Clock } from '../../util/clock';
import type { Logger } from '../../util/logger';
import type { LeaseBook } from './lease-book';
import type { LeaseRegistration } from './lease-registration';
import { type FenceReading, readFences } from './lease-statements';
import type { OwnConnection } from '../postgres/own-connection';

const RETRY_MS = 1_000;

export interface FenceReaderOptions {
  readonly book: LeaseBook;
  readonly connection: OwnConnection;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class FenceReader {
  readonly #options: FenceReaderOptions;
  readonly #waiting = new Set<LeaseRegistration>();
  #reading: Promise<void> | undefined;
  #cancelRetry: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: FenceReaderOptions) {
    this.#options = options;
  }

  /** A notice of this loop came. An attempt that has not claimed yet looks when it knows its fence. */
  notice(loopId: LoopId): void {
    const registrations = this.#options.book.ofLoop(loopId);
    for (const registration of registrations) registration.rememberNotice();
    this.readSoon(registrations);
  }

  /** Those asked for during a reading are read together after it. */
  readSoon(registrations: readonly LeaseRegistration[]): void {
    for (const registration of registrations) this.#waiting.add(registration);
    if (this.#waiting.size === 0 || this.#isClosed) return;
    this.#reading ??= this.#readWaiting().finally(() => {
      this.#reading = undefined;
    });
  }

  /** @throws what the database throws */
  async read(registrations: readonly LeaseRegistration[]): Promise<void> {
    const { book, connection, clock } = this.#options;
    const armed = registrations.filter((registration) => registration.armed !== undefined && book.has(registration));
    if (armed.length === 0) return;
    const sentAtMs = clock.monotonicMs();
    const fences = armed.flatMap((registration) => registration.armed ?? []);
    const readings = await readFences(connection.query, fences);
    armed.forEach((registration, index) => {
      const reading = readings[index];
      if (reading !== undefined && book.has(registration)) this.#judge(registration, reading, sentAtMs);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    await this.#reading;
  }

  async #readWaiting(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#isClosed) {
      const batch = [...this.#waiting];
      this.#waiting.clear();
      try {
        await this.read(batch);
      } catch (error) {
        this.#options.logger.warn({ error: messageOf(error) }, 'fences could not be read after a notice; they are read again shortly');
        this.#cancelRetry?.();
        this.#cancelRetry = this.#options.clock.schedule(RETRY_MS, () => this.readSoon(this.#options.book.all()));
        return;
      }
    }
  }

  #judge(registration: LeaseRegistration, reading: FenceReading, sentAtMs: number): void {
    if (isLost(registration, reading)) this.#options.book.lose(registration, 'fence');
    else if (reading.secondsLeft === null) registration.markCleared();
    else registration.extendTo(sentAtMs + reading.secondsLeft * 1000);
  }
}

/** R16: a cleared lease is the normal end; only a fence that does not hold any more is a loss. */
function isLost(registration: LeaseRegistration, { holdsLoop, holdsCall }: FenceReading): boolean {
  return !holdsCall || (!holdsLoop && !registration.isUnsafeStarted);
}
