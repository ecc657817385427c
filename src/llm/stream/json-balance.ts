/** Follows JSON text in pieces and knows where its first value is whole: braces are counted, strings are not looked into (P55, P56). */

const OUTSIDE_STRINGS = /["{}[\]]/g;
const INSIDE_STRINGS = /["\\]/g;

export class JsonBalance {
  #depth = 0;
  #hasStarted = false;
  #isInString = false;
  #isEscaped = false;
  #deepest = 0;

  /** The most objects and lists that were open at a time. */
  get deepest(): number {
    return this.#deepest;
  }

  /** True once an object or list was opened and closed again. */
  get isWhole(): boolean {
    return this.#hasStarted && this.#depth === 0;
  }

  /** Answers the offset in `text` just after the end of the value, or -1 while it is not reached. */
  push(text: string, from = 0): number {
    let at = from;
    while (at < text.length) {
      if (this.#isEscaped) {
        this.#isEscaped = false;
        at += 1;
        continue;
      }
      const pattern = this.#isInString ? INSIDE_STRINGS : OUTSIDE_STRINGS;
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match === null) return -1;
      at = match.index + 1;
      this.#take(match[0]);
      if (this.isWhole && !this.#isInString) return at;
    }
    return -1;
  }

  #take(character: string): void {
    if (character === '"') this.#isInString = !this.#isInString;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else this.#depth = Math.max(0, this.#depth - 1);
    this.#hasStarted ||= this.#depth > 0;
    this.#deepest = Math.max(this.#deepest, this.#depth);
  }
}

/** Offset just after the object or list that begins at `from`, or -1 where it does not end. */
export function endOfJson(text: string, from: number): number {
  return new JsonBalance().push(text, from);
}

/** Deeper than any real answer; what is deeper yet would end the stack of whoever walks through it. */
export const JSON_DEPTH_LIMIT = 500;

/** True where the text's first value is nested too deep to be worked with. */
export function isTooDeep(text: string): boolean {
  if (text.length <= JSON_DEPTH_LIMIT) return false;
  const balance = new JsonBalance();
  balance.push(text);
  return balance.deepest > JSON_DEPTH_LIMIT;
}
