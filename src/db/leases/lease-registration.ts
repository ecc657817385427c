/** One lease that an attempt of this process holds, from before its claim to the end of its path. */

import type { ClaimNumber, Generation, LoopId, ToolCallId } from '../../domain/ids';

/**
 * `fence`: the tables say that it is not ours any more. `expired`: the database was away for longer than the lease (R18).
 * `leaked`: it outlived its time limit (R19). `renewer-died`: nobody renews it any more (R18).
 */
export type LostReason = 'fence' | 'expired' | 'leaked' | 'renewer-died';

interface LeaseTerms {
  readonly loopId: LoopId;
  /** What each renewal adds from the database's now (R11, R12). */
  readonly leaseSeconds: number;
  /** The attempt's own time limit; past it and the leak grace, the registration is dropped (R19). */
  readonly limitSeconds: number;
  /** Called once, within milliseconds where the connection listens: abort the network call (R17). */
  readonly onLost: (reason: LostReason) => void;
}

export interface TurnLease extends LeaseTerms {
  readonly kind: 'turn';
  /** Absent before the claim: `arm` gives it. */
  readonly generation?: Generation;
}

export interface CallLease extends LeaseTerms {
  readonly kind: 'call';
  /** The generation that the activity carries. */
  readonly generation: Generation;
  readonly callId: ToolCallId;
  /** Absent before the claim: `arm` gives it. */
  readonly claimNumber?: ClaimNumber;
  /** A started `unsafe` body belongs to its claim, whatever becomes of the loop (R16). @default false */
  readonly isUnsafeStarted?: boolean;
}

export type Lease = TurnLease | CallLease;

/** What the claim gave: a turn its generation, a call its claim number. */
export type ClaimedFence = { readonly generation: Generation } | { readonly claimNumber: ClaimNumber };

/** What an attempt holds of its registration. */
export interface LeaseHandle {
  readonly isLost: boolean;
  readonly lostReason: LostReason | undefined;
  /** From now on the lease is renewed and watched. A notice that came since the registration is looked at now. */
  readonly arm: (fence: ClaimedFence) => void;
  /** The body of an `unsafe` call was started: only a later claim takes it now. */
  readonly markUnsafeStarted: () => void;
  /** No renewal starts after it. Before the commit, and again at the end of every path (R20). */
  readonly deregister: () => void;
}

/** The fences of one lease as the statements take them. */
export interface ArmedLease {
  readonly loopId: LoopId;
  readonly generation: Generation;
  readonly callId: ToolCallId | null;
  readonly claimNumber: ClaimNumber | null;
  readonly leaseSeconds: number;
}

export interface RegistrationEvents {
  /** `wasNoticed`: a notice of this loop came before the fence was known. */
  readonly onArmed: (registration: LeaseRegistration, wasNoticed: boolean) => void;
  readonly onEnded: (registration: LeaseRegistration) => void;
}

export class LeaseRegistration implements LeaseHandle {
  readonly lease: Lease;
  readonly registeredAtMs: number;
  readonly #events: RegistrationEvents;
  #armed: ArmedLease | undefined;
  #deadlineMs: number;
  #isUnsafeStarted: boolean;
  #isCleared = false;
  #wasNoticed = false;
  #lostReason: LostReason | undefined;

  constructor(lease: Lease, registeredAtMs: number, events: RegistrationEvents) {
    this.lease = lease;
    this.registeredAtMs = registeredAtMs;
    this.#events = events;
    this.#deadlineMs = registeredAtMs + lease.leaseSeconds * 1000;
    this.#isUnsafeStarted = lease.kind === 'call' && lease.isUnsafeStarted === true;
    this.#armed = armedFrom(lease);
  }

  get isLost(): boolean {
    return this.#lostReason !== undefined;
  }

  get lostReason(): LostReason | undefined {
    return this.#lostReason;
  }

  /** Undefined before the claim, and once the lease was cleared in the tables: nothing is to be renewed then. */
  get renewable(): ArmedLease | undefined {
    return this.#isCleared ? undefined : this.#armed;
  }

  /** Undefined before the claim. */
  get armed(): ArmedLease | undefined {
    return this.#armed;
  }

  get isUnsafeStarted(): boolean {
    return this.#isUnsafeStarted;
  }

  /** The last moment at which the lease is known to stand; a cleared or unarmed one has none. */
  get deadlineMs(): number {
    return this.renewable === undefined ? Infinity : this.#deadlineMs;
  }

  arm(fence: ClaimedFence): void {
    this.#armed = armedFrom({ ...this.lease, ...fence });
    this.#events.onArmed(this, this.#wasNoticed);
  }

  markUnsafeStarted(): void {
    this.#isUnsafeStarted = true;
  }

  deregister(): void {
    this.#events.onEnded(this);
  }

  /** A notice of the loop came while the fence is not known yet. */
  rememberNotice(): void {
    this.#wasNoticed = true;
  }

  /** The lease stands until that moment at least. */
  extendTo(deadlineMs: number): void {
    this.#deadlineMs = Math.max(this.#deadlineMs, deadlineMs);
  }

  /** The tables have no lease here any more, and the fences hold: the normal end (R16). */
  markCleared(): void {
    this.#isCleared = true;
  }

  markLost(reason: LostReason): void {
    if (this.#lostReason !== undefined) return;
    this.#lostReason = reason;
    this.lease.onLost(reason);
  }
}

function armedFrom(lease: Lease): ArmedLease | undefined {
  const { loopId, leaseSeconds, generation } = lease;
  if (generation === undefined) return undefined;
  if (lease.kind === 'turn') return { loopId, generation, leaseSeconds, callId: null, claimNumber: null };
  if (lease.claimNumber === undefined) return undefined;
  return { loopId, generation, leaseSeconds, callId: lease.callId, claimNumber: lease.claimNumber };
}
