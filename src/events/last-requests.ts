/** What a process remembers of the last request of each loop, so that the next is written without reading: hashes alone, and so many in all. */

import type { EventId, LoopId } from '../domain/ids';

/** Of all loops together: 32 bytes each. Past it the loop whose request is oldest is forgotten, and read again if it goes on. */
const REMEMBERED_MESSAGES = 100_000;
const HASH_BYTES = 32;

export interface HashedRequest {
  readonly eventId: EventId;
  /** sha256 of each message, in order. */
  readonly hashes: readonly Buffer[];
}

/** The hashes are kept in one string: a buffer for each would take seven times the room. */
export class LastRequest {
  readonly eventId: EventId;
  readonly #packed: string;

  constructor({ eventId, hashes }: HashedRequest) {
    this.eventId = eventId;
    this.#packed = Buffer.concat(hashes).toString('latin1');
  }

  /** How many messages it has. */
  get length(): number {
    return this.#packed.length / HASH_BYTES;
  }

  /** With how many of its messages these begin. */
  sharedLength(hashes: readonly Buffer[]): number {
    const difference = hashes.findIndex((hash, index) => !this.#packed.startsWith(hash.toString('latin1'), index * HASH_BYTES));
    return difference < 0 ? hashes.length : difference;
  }
}

export class LastRequests {
  readonly #limit: number;
  /** Oldest first. */
  readonly #byLoop = new Map<LoopId, LastRequest>();
  #messages = 0;

  constructor(limit = REMEMBERED_MESSAGES) {
    this.#limit = limit;
  }

  /** How many messages are remembered, of all loops. */
  get messages(): number {
    return this.#messages;
  }

  find(loopId: LoopId): LastRequest | undefined {
    return this.#byLoop.get(loopId);
  }

  set(loopId: LoopId, request: LastRequest): void {
    this.forget(loopId);
    this.#byLoop.set(loopId, request);
    this.#messages += request.length;
    for (const oldest of this.#byLoop.keys()) {
      if (this.#messages <= this.#limit) return;
      this.forget(oldest);
    }
  }

  forget(loopId: LoopId): void {
    this.#messages -= this.#byLoop.get(loopId)?.length ?? 0;
    this.#byLoop.delete(loopId);
  }
}
