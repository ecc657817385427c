/** The leases that a process holds now, by loop, and the one way in which one is lost. */

import type { LoopId } from '../../domain/ids';
import { messageOf } from '../../domain/errors';
import type { Logger } from '../../util/logger';
import type { LeaseRegistration, LostReason } from './lease-registration';

export class LeaseBook {
  readonly #logger: Logger;
  readonly #registrations = new Set<LeaseRegistration>();
  readonly #byLoop = new Map<LoopId, Set<LeaseRegistration>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get size(): number {
    return this.#registrations.size;
  }

  /** A copy: what happens meanwhile does not change it. */
  all(): readonly LeaseRegistration[] {
    return [...this.#registrations];
  }

  ofLoop(loopId: LoopId): readonly LeaseRegistration[] {
    return [...(this.#byLoop.get(loopId) ?? [])];
  }

  has(registration: LeaseRegistration): boolean {
    return this.#registrations.has(registration);
  }

  add(registration: LeaseRegistration): void {
    const { loopId } = registration.lease;
    this.#registrations.add(registration);
    const ofLoop = this.#byLoop.get(loopId) ?? new Set();
    this.#byLoop.set(loopId, ofLoop.add(registration));
  }

  remove(registration: LeaseRegistration): void {
    const { loopId } = registration.lease;
    this.#registrations.delete(registration);
    const ofLoop = this.#byLoop.get(loopId);
    ofLoop?.delete(registration);
    if (ofLoop?.size === 0) this.#byLoop.delete(loopId);
  }

  /** Removes it and tells its attempt; an attempt that fails to hear is logged, and the others are not touched. */
  lose(registration: LeaseRegistration, reason: LostReason): void {
    this.remove(registration);
    try {
      registration.markLost(reason);
    } catch (error) {
      const { loopId } = registration.lease;
      this.#logger.error({ loopId, error: messageOf(error) }, 'an attempt failed to hear that its lease is lost');
    }
  }

  loseAll(reason: LostReason): void {
    for (const registration of this.all()) this.lose(registration, reason);
  }
}
