/** Renews every lease that this process holds, and tells an attempt within milliseconds that it lost its own (R14-R20). */

import { toId } from '../../domain/ids';
import { renewalTickSeconds } from '../../domain/lease';
import { messageOf } from '../../domain/errors';
import type { EngineSettings } from '../../domain/settings';
import type { CancelTimer, Clock } from '../../util/clock';
import type { Logger } from '../../util/logger';
import type { FenceListener } from './fence-listener';
import { FenceReader } from './fence-reader';
import { LeaseBook } from './lease-book';
import { type Lease, type LeaseHandle, LeaseRegistration } from './lease-registration';
import { renewLeases } from './lease-statements';
import { CHANNELS } from '../postgres/notify';
import { isStatementError, OwnConnection } from '../postgres/own-connection';

const STATEMENT_TIMEOUT_MS = 1_000;
const RETRY_MS = 1_000;
/** While no connection listens, the fences are read so often. */
const FENCE_READING_MS = 5_000;

export interface LeaseRenewerOptions {
  readonly connectionString: string;
  /** Absent: behind a pooler that cannot LISTEN; the fences are read every 5 s instead. It stays its owner's to start and close. */
  readonly listener?: FenceListener;
  readonly settings: Pick<EngineSettings, 'leaseLeakGrace'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shown in pg_stat_activity. @default 'solidloop-renew' */
  readonly applicationName?: string;
}

export class LeaseRenewer {
  readonly #options: LeaseRenewerOptions;
  readonly #connection: OwnConnection;
  readonly #book: LeaseBook;
  readonly #fences: FenceReader;
  readonly #unsubscribe: readonly (() => void)[];
  #nextPassMs = Infinity;
  #pass: Promise<void> = Promise.resolve();
  #cancelPass: CancelTimer | undefined;
  #cancelReading: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: LeaseRenewerOptions) {
    const { connectionString, clock, logger, listener, applicationName = 'solidloop-renew' } = options;
    this.#options = options;
    this.#connection = new OwnConnection({ connectionString, applicationName, statementTimeoutMs: STATEMENT_TIMEOUT_MS, logger });
    this.#book = new LeaseBook(logger);
    this.#fences = new FenceReader({ book: this.#book, connection: this.#connection, clock, logger });
    this.#unsubscribe = listener === undefined ? [] : this.#follow(listener);
    const mode =
      listener === undefined ? `read every ${FENCE_READING_MS / 1000} s, without LISTEN` : 'noticed by LISTEN within milliseconds';
    logger.info({ mode: listener === undefined ? 'poll' : 'listen' }, `changes of fences are ${mode}`);
  }

  /** How many leases are held now. */
  get size(): number {
    return this.#book.size;
  }

  /** Called before the claim, so that a pause between the claim and the first renewal is seen. Arms timers only, asks nothing. */
  register(lease: Lease): LeaseHandle {
    const registration = new LeaseRegistration(lease, this.#now(), {
      onArmed: (armed, wasNoticed) => wasNoticed && this.#fences.readSoon([armed]),
      onEnded: (ended) => this.#end(ended),
    });
    this.#book.add(registration);
    if (this.#isClosed) this.#book.lose(registration, 'renewer-died');
    else this.#watch(lease);
    return registration;
  }

  /** Ends the connection. A lease that is still registered is lost: nobody renews it any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#book.loseAll('renewer-died');
    this.#rest();
    await this.#fences.close();
    await this.#pass;
    await this.#connection.close();
  }

  #now(): number {
    return this.#options.clock.monotonicMs();
  }

  #follow(listener: FenceListener): readonly (() => void)[] {
    return [
      listener.subscribe(CHANNELS.control, (loopId) => this.#fences.notice(toId(loopId))),
      listener.onConnect(() => this.#fences.readSoon(this.#book.all())),
    ];
  }

  #watch(lease: Lease): void {
    this.#passBefore(this.#now() + renewalTickSeconds([lease.leaseSeconds]) * 1000);
    this.#cancelReading ??= this.#scheduleReading();
  }

  #scheduleReading(): CancelTimer {
    return this.#options.clock.schedule(FENCE_READING_MS, () => {
      this.#cancelReading = this.#scheduleReading();
      if (this.#options.listener?.isListening !== true) this.#fences.readSoon(this.#book.all());
    });
  }

  #end(registration: LeaseRegistration): void {
    this.#book.remove(registration);
    if (this.#book.size === 0) this.#rest();
  }

  /** No lease, no timer: an idle process asks nothing. */
  #rest(): void {
    this.#cancelPass?.();
    this.#cancelReading?.();
    this.#cancelPass = this.#cancelReading = undefined;
    this.#nextPassMs = Infinity;
  }

  #passBefore(atMs: number): void {
    if (atMs >= this.#nextPassMs || this.#isClosed) return;
    this.#cancelPass?.();
    this.#nextPassMs = atMs;
    this.#cancelPass = this.#options.clock.schedule(Math.max(0, atMs - this.#now()), () => {
      this.#nextPassMs = Infinity;
      this.#pass = this.#pass.then(() => this.#renewAndPlan());
    });
  }

  /** Never rejects. What fails here is a fault of ours: nothing is renewed any more, so everything counts as lost (R18). */
  async #renewAndPlan(): Promise<void> {
    try {
      this.#dropLeaked();
      const isAway = await this.#renewAll();
      this.#loseExpired();
      this.#planPass(isAway);
    } catch (error) {
      this.#options.logger.error({ error: messageOf(error) }, 'the lease renewer failed: every lease of this process counts as lost');
      this.#book.loseAll('renewer-died');
      this.#rest();
    }
  }

  #planPass(isAway: boolean): void {
    const registrations = this.#book.all();
    if (registrations.length === 0) return this.#rest();
    const tickMs = isAway ? RETRY_MS : renewalTickSeconds(registrations.map(({ lease }) => lease.leaseSeconds)) * 1000;
    const ends = registrations.flatMap((registration) => [registration.deadlineMs, this.#ceilingMs(registration) + 1]);
    const now = this.#now();
    this.#passBefore(Math.max(now + 1, Math.min(now + tickMs, ...ends)));
  }

  #ceilingMs({ registeredAtMs, lease }: LeaseRegistration): number {
    return registeredAtMs + (lease.limitSeconds + this.#options.settings.leaseLeakGrace) * 1000;
  }

  #dropLeaked(): void {
    for (const registration of this.#book.all()) {
      if (this.#now() <= this.#ceilingMs(registration)) continue;
      const { kind, loopId, limitSeconds } = registration.lease;
      this.#options.logger.warn(
        { kind, loopId, limitSeconds },
        'a lease outlived the time limit of its attempt: it is dropped and the attempt aborted',
      );
      this.#book.lose(registration, 'leaked');
    }
  }

  #loseExpired(): void {
    for (const registration of this.#book.all()) {
      if (this.#now() < registration.deadlineMs) continue;
      const { kind, loopId } = registration.lease;
      this.#options.logger.warn({ kind, loopId }, 'a lease could not be renewed in time and counts as lost');
      this.#book.lose(registration, 'expired');
    }
  }

  /** Answers true where the database could not be asked. */
  async #renewAll(): Promise<boolean> {
    const due = this.#book.all().filter((registration) => registration.renewable !== undefined);
    try {
      await this.#renew(due);
      return false;
    } catch (error) {
      if (isBadValue(error)) return this.#renewEach(due);
      this.#options.logger.warn(
        { leases: due.length, error: messageOf(error) },
        'leases were not renewed: tried again while they have time left',
      );
      return true;
    }
  }

  /** One of them holds a value that the database refuses: that one alone is lost (R18). */
  async #renewEach(due: readonly LeaseRegistration[]): Promise<boolean> {
    let isAway = false;
    for (const registration of due) {
      try {
        await this.#renew([registration]);
      } catch (error) {
        if (!isBadValue(error)) isAway = true;
        else this.#refuse(registration, error);
      }
    }
    return isAway;
  }

  #refuse(registration: LeaseRegistration, error: unknown): void {
    const { kind, loopId } = registration.lease;
    this.#options.logger.error({ kind, loopId, error: messageOf(error) }, 'a lease cannot be renewed and counts as lost');
    this.#book.lose(registration, 'expired');
  }

  async #renew(due: readonly LeaseRegistration[]): Promise<void> {
    if (due.length === 0) return;
    const sentAtMs = this.#now();
    const renewed = await renewLeases(
      this.#connection.query,
      due.flatMap(({ armed }) => armed ?? []),
    );
    const unmatched: LeaseRegistration[] = [];
    due.forEach((registration, index) => {
      if (renewed.has(index)) registration.extendTo(sentAtMs + registration.lease.leaseSeconds * 1000);
      else unmatched.push(registration);
    });
    await this.#fences.read(unmatched);
  }
}

/** Class 22 of SQLSTATE: a value of one lease is at fault, not the database. */
const isBadValue = (error: unknown): boolean => isStatementError(error) && (error.code ?? '').startsWith('22');
