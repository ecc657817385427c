/** Follows JSON text in pieces and knows where its first value is whole: braces are counted, strings are not looked into (P55, P56). */

const QUOTE = 34;
const BACKSLASH = 92;
const OPENERS = new Set(['{'.charCodeAt(0), '['.charCodeAt(0)]);
const CLOSERS = new Set(['}'.charCodeAt(0), ']'.charCodeAt(0)]);

export class JsonBalance {
  #depth = 0;
  #hasStarted = false;
  #isInString = false;
  #isEscaped = false;

  /** True once an object or list was opened and closed again. */
  get isWhole(): boolean {
    return this.#hasStarted && this.#depth === 0;
  }

  /** Answers the offset in `text` just after the end of the value, or -1 while it is not reached. */
  push(text: string, from = 0): number {
    for (let index = from; index < text.length; index += 1) {
      if (this.#take(text.charCodeAt(index)) && this.isWhole) return index + 1;
    }
    return -1;
  }

  /** True where this character opened or closed something. */
  #take(code: number): boolean {
    if (this.#isInString) {
      this.#takeInString(code);
      return false;
    }
    if (code === QUOTE) this.#isInString = true;
    else if (OPENERS.has(code)) return this.#move(1);
    else if (CLOSERS.has(code) && this.#depth > 0) return this.#move(-1);
    return false;
  }

  #takeInString(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE) this.#isInString = false;
  }

  #move(by: number): true {
    this.#depth += by;
    this.#hasStarted = true;
    return true;
  }
}

/** Offset just after the object or list that begins at `from`, or -1 where it does not end. */
export function endOfJson(text: string, from: number): number {
  return new JsonBalance().push(text, from);
}
