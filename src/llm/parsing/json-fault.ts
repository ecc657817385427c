/** Finds where a text stops being JSON, and says what is wrong there: the parser of the platform tells neither reliably. */

import { JSON_DEPTH_LIMIT } from '../stream/json-balance';

export interface JsonFault {
  /** In UTF-16 units, from 0; the text's length where it ends too early. */
  readonly offset: number;
  readonly problem: string;
  /** True where the text is right as far as it goes, but ends before its JSON does. */
  readonly isCut: boolean;
}

type Expected = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'comma-or-end' | 'nothing';

const WHITE_SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_]\w*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001f]*/y;

const LITERALS = new Set(['true', 'false', 'null']);

/** Undefined where the text is one whole JSON value. Agrees with `JSON.parse` on every text that is not nested too deep. */
export function findJsonFault(text: string): JsonFault | undefined {
  return new JsonScan(text).run();
}

class JsonScan {
  #at = 0;
  #expected: Expected = 'value';
  readonly #open: ('{' | '[')[] = [];

  constructor(readonly text: string) {}

  run(): JsonFault | undefined {
    for (;;) {
      this.#at += this.#match(WHITE_SPACE).length;
      if (this.#at >= this.text.length) return this.#expected === 'nothing' ? undefined : this.#cut();
      const fault = this.#step(this.text.charAt(this.#at));
      if (fault !== undefined) return fault;
    }
  }

  #step(character: string): JsonFault | undefined {
    switch (this.#expected) {
      case 'value':
      case 'value-or-end':
        return character === ']' && this.#expected === 'value-or-end' ? this.#close() : this.#readValue(character);
      case 'name':
      case 'name-or-end':
        return character === '}' && this.#expected === 'name-or-end' ? this.#close() : this.#readName(character);
      case 'colon':
        return character === ':' ? this.#go('value', 1) : this.#fault('a colon must stand between the name and its value');
      case 'comma-or-end':
        return this.#readSeparator(character);
      case 'nothing':
        return this.#fault('something follows the end of the JSON; send one object and nothing after it');
    }
  }

  #readValue(character: string): JsonFault | undefined {
    if (character === '{') return this.#push('{', 'name-or-end');
    if (character === '[') return this.#push('[', 'value-or-end');
    if (character === '"') return this.#readString(() => this.#afterValue());
    const number = this.#match(NUMBER);
    if (number !== '') return this.#skip(number);
    const word = this.#match(WORD);
    if (LITERALS.has(word)) return this.#skip(word);
    if (this.#isCutWord(word)) return this.#cut();
    return this.#fault(valueProblem(character, word));
  }

  #readName(character: string): JsonFault | undefined {
    if (character === '"') return this.#readString(() => (this.#expected = 'colon'));
    if (character === "'") return this.#fault('single quotes are not JSON; put names and strings in double quotes');
    return this.#fault(character === '}' ? 'a comma stands before the closing brace' : 'a name in double quotes must stand here');
  }

  #readSeparator(character: string): JsonFault | undefined {
    const open = this.#open.at(-1);
    if (character === ',') return this.#go(open === '{' ? 'name' : 'value', 1);
    if (character === (open === '{' ? '}' : ']')) return this.#close();
    return this.#fault(`a comma or ${open === '{' ? 'a closing brace' : 'a closing bracket'} must stand here`);
  }

  #readString(after: () => void): JsonFault | undefined {
    this.#at += 1;
    for (;;) {
      this.#at += this.#match(PLAIN_CHARACTERS).length;
      const character = this.text[this.#at];
      if (character === undefined) return this.#cut();
      if (character === '"') {
        this.#at += 1;
        after();
        return undefined;
      }
      const escape = this.#match(ESCAPE);
      if (escape === '') return this.#stringFault(character);
      this.#at += escape.length;
    }
  }

  #stringFault(character: string): JsonFault {
    if (character !== '\\') return this.#fault(`the control character ${nameOf(character)} inside a string must be escaped`);
    const isCutEscape = /^\\(u[0-9a-fA-F]{0,3})?$/.test(this.text.slice(this.#at));
    return isCutEscape ? this.#cut() : this.#fault('a backslash inside a string must begin an escape such as \\n, \\" or \\\\');
  }

  #push(opener: '{' | '[', expected: Expected): JsonFault | undefined {
    this.#open.push(opener);
    if (this.#open.length > JSON_DEPTH_LIMIT) return this.#fault(`objects and lists are nested deeper than ${JSON_DEPTH_LIMIT} levels`);
    return this.#go(expected, 1);
  }

  #close(): undefined {
    this.#open.pop();
    this.#at += 1;
    this.#afterValue();
  }

  #skip(token: string): undefined {
    this.#at += token.length;
    this.#afterValue();
  }

  #afterValue(): void {
    this.#expected = this.#open.length === 0 ? 'nothing' : 'comma-or-end';
  }

  #go(expected: Expected, chars: number): undefined {
    this.#expected = expected;
    this.#at += chars;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.text)?.[0] ?? '';
  }

  #isCutWord(word: string): boolean {
    const isAtEnd = this.#at + word.length === this.text.length;
    return isAtEnd && ((word !== '' && [...LITERALS].some((literal) => literal.startsWith(word))) || this.text.slice(this.#at) === '-');
  }

  #cut(): JsonFault {
    return { offset: this.text.length, problem: 'the text ends before its JSON does', isCut: true };
  }

  #fault(problem: string): JsonFault {
    return { offset: this.#at, problem, isCut: false };
  }
}

function valueProblem(character: string, word: string): string {
  if (character === "'") return 'single quotes are not JSON; put names and strings in double quotes';
  if (/^(True|False|None|undefined|NaN|Infinity)$/.test(word)) return `${word} is not JSON; the words are true, false and null`;
  if (character === '}' || character === ']') return 'a value is missing, or a comma stands before the closing bracket';
  if (word !== '') return `${word} is not JSON; put strings in double quotes`;
  return 'a value must stand here: an object, a list, a string in double quotes, a number, true, false or null';
}

function nameOf(character: string): string {
  const escapes: Readonly<Record<string, string>> = { '\n': '(a line feed, \\n)', '\r': '(a carriage return, \\r)', '\t': '(a tab, \\t)' };
  return escapes[character] ?? `U+${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
