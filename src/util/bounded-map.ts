/** A map that forgets: past its limit the entry that was set longest ago goes. */

export class BoundedMap<Key, Value> {
  readonly #limit: number;
  /** Oldest first. */
  readonly #entries = new Map<Key, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** The entry is the newest from now on, also where it was there. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#limit && oldest.done !== true) this.#entries.delete(oldest.value);
  }

  clear(): void {
    this.#entries.clear();
  }
}
