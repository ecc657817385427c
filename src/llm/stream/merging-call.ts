/** One tool call while its pieces arrive. */

import { parseJson } from '../foreign-json';
import { isRecord, type UnknownRecord } from './json-values';
import { JsonBalance } from './json-balance';
import { mergeField, mergeFields } from './merge-fields';

/** Where arguments have been seen, in the order in which they count. */
export const ARGUMENT_FIELDS = ['arguments', 'input', 'parameters'] as const;

const KNOWN_IN_FUNCTION: ReadonlySet<string> = new Set(['name', ...ARGUMENT_FIELDS]);

/** One entry of a delta, its known fields read. */
export interface CallPiece {
  readonly entry: UnknownRecord;
  /** Where name and arguments stand: `function`, or the entry itself. */
  readonly body: UnknownRecord;
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: unknown;
  /** Place in its delta, where the delta held several entries. */
  readonly position: number | undefined;
}

const KNOWN_FIELDS = new Set(['index', 'id', 'type', 'function', 'name', ...ARGUMENT_FIELDS]);
/** What a piece costs beside its text, so that endless empty pieces are counted too. */
const PIECE_COST_CHARS = 1;

export class MergingCall {
  id: string | undefined;
  name: string | undefined;
  #pieces: string[] = [];
  #value: unknown;
  #type = 'function';
  readonly #extras: UnknownRecord = {};
  readonly #functionExtras: UnknownRecord = {};
  readonly #balance = new JsonBalance();
  #balancedPieces = 0;

  constructor(readonly index: number | undefined) {}

  /** True once the arguments are a whole JSON object or list. Looks at new pieces only, so that it stays linear. */
  get isWhole(): boolean {
    if (this.#value !== undefined) return true;
    for (; this.#balancedPieces < this.#pieces.length; this.#balancedPieces += 1) {
      const piece = this.#pieces[this.#balancedPieces];
      if (piece !== undefined && !this.#balance.isWhole) this.#balance.push(piece);
    }
    return this.#balance.isWhole;
  }

  /** True where no arguments came that are not white space. */
  get isBlank(): boolean {
    return this.isText && this.#pieces.every((piece) => piece.trim() === '');
  }

  /** True unless arguments came as an object. */
  get isText(): boolean {
    return this.#value === undefined;
  }

  /**
   * Whether a piece that names this call's index, id or place belongs to it. A name or id that is repeated, changed or empty does not part them
   * (P20, P22); a piece with a name that comes after whole arguments, or a name of its own with an id of its own, begins another call.
   */
  isContinuedBy(piece: CallPiece): boolean {
    if (piece.name === undefined || this.name === undefined) return true;
    const isOtherId = piece.id !== undefined && this.id !== undefined && piece.id !== this.id;
    const isOtherName = piece.name !== this.name;
    if (isOtherId && isOtherName) return false;
    if (isOtherName && piece.id === undefined && (this.isWhole || piece.index === undefined)) return false;
    if (!this.isWhole) return true;
    return !isOtherId && (isBlankArguments(piece.arguments) || this.#isRepeatedBy(piece));
  }

  /** Takes the piece in; answers about how many characters more are kept. */
  add(piece: CallPiece): number {
    this.id ??= piece.id;
    this.name ??= piece.name;
    if (typeof piece.entry.type === 'string' && piece.entry.type !== '') this.#type = piece.entry.type;
    let chars = PIECE_COST_CHARS;
    for (const key in piece.entry) {
      if (!KNOWN_FIELDS.has(key)) chars += mergeField(this.#extras, key, piece.entry[key]);
    }
    if (piece.body !== piece.entry) chars += this.#addFunctionExtras(piece.body);
    return chars + this.#addArguments(piece);
  }

  /** The arguments of a stray piece that turned out to be this call's (P28). */
  absorb(stray: MergingCall): void {
    this.#pieces.push(...stray.#pieces);
  }

  finish(): UnknownRecord {
    const call: UnknownRecord = { ...(this.id === undefined ? {} : { id: this.id }), type: this.#type };
    const body: UnknownRecord = {
      ...(this.name === undefined ? {} : { name: this.name }),
      arguments: this.#argumentsText(),
      ...this.#functionExtras,
    };
    return { ...call, function: body, ...this.#extras };
  }

  /** An object is never put together with pieces of a string: whole text wins over it, and it over text that is cut (P25). */
  #argumentsText(): string {
    const text = this.#pieces.join('');
    if (this.#value === undefined) return text;
    const isTextWhole = new JsonBalance().push(text) >= 0;
    return isTextWhole ? text : JSON.stringify(this.#value);
  }

  #isRepeatedBy(piece: CallPiece): boolean {
    const isSurelyThis = piece.id !== undefined || piece.index !== undefined;
    const text = typeof piece.arguments === 'string' ? piece.arguments : JSON.stringify(piece.arguments);
    return isSurelyThis && isSameJson(text, this.#argumentsText());
  }

  #addArguments(piece: CallPiece): number {
    const value = piece.arguments;
    if (value === undefined || value === null) return 0;
    if (typeof value === 'string') return this.#addText(value, piece);
    if (isRecord(value) && isRecord(this.#value)) return mergeFields(this.#value, value);
    this.#value = value;
    return JSON.stringify(value).length;
  }

  /** A whole call that comes a second time, as some servers end their stream, is the same call. */
  #addText(text: string, piece: CallPiece): number {
    if (text === '' || (piece.name !== undefined && this.isWhole && this.#isRepeatedBy(piece))) return 0;
    this.#pieces.push(text);
    return text.length;
  }

  #addFunctionExtras(body: UnknownRecord): number {
    let chars = 0;
    for (const key in body) {
      if (!KNOWN_IN_FUNCTION.has(key)) chars += mergeField(this.#functionExtras, key, body[key]);
    }
    return chars;
  }
}

/** The same text, or the same value, however it is spaced. */
export function isSameJson(left: string, right: string): boolean {
  if (left.trim() === right.trim()) return true;
  const value = parseJson(left);
  return value !== undefined && JSON.stringify(value) === JSON.stringify(parseJson(right));
}

export function isBlankArguments(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
