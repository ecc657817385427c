/** Merges the pieces of tool calls into whole calls: with an index or without, repeated, renamed, cut (P17-P29, P37). */

import { isRecord, nonEmptyString, toList, type UnknownRecord } from './json-values';
import { ARGUMENT_FIELDS, isBlankArguments, isSameJson, MergingCall, type CallPiece } from './merging-call';

export class ToolCallMerger {
  readonly #calls: MergingCall[] = [];
  readonly #byIndex = new Map<number, MergingCall>();
  readonly #byId = new Map<string, MergingCall>();
  readonly #byPosition: MergingCall[] = [];
  #legacy: MergingCall | undefined;

  /** Tells of each call once, when its name is known. */
  constructor(
    readonly onCallStart: (call: { readonly id: string; readonly name: string; readonly position: number }) => void = () => undefined,
  ) {}

  get isEmpty(): boolean {
    return this.#calls.length === 0 && this.#legacy === undefined;
  }

  /** Takes a `tool_calls` delta; answers about how many characters more are kept, 0 where nothing was a call. */
  push(delta: unknown): number {
    const entries = toList(delta);
    let chars = 0;
    for (let position = 0; position < entries.length; position += 1) {
      const entry = entries[position];
      const piece = isRecord(entry) ? toPiece(entry, entries.length > 1 ? position : undefined) : undefined;
      if (piece !== undefined) chars += this.#add(this.#find(piece), piece);
    }
    return chars;
  }

  /** Takes a delta of the old `function_call` form (P37). */
  pushLegacy(delta: unknown): number {
    if (!isRecord(delta)) return 0;
    const piece = toPiece({ function: delta }, undefined);
    const isBlank = piece?.name === undefined && isBlankArguments(piece?.arguments);
    if (piece === undefined || (isBlank && this.#legacy === undefined)) return 0;
    this.#legacy ??= new MergingCall(undefined);
    return this.#add(this.#legacy, piece);
  }

  /** The calls in OpenAI's form, in order of their index, else of their first piece. Ids may be missing. */
  finish(): UnknownRecord[] {
    const calls = withoutStrays(this.#ordered()).map((call) => call.finish());
    const legacy = this.#legacy?.finish();
    const isNew = legacy !== undefined && !calls.some((call) => isSameCall(call, legacy));
    return isNew ? [...calls, legacy] : calls;
  }

  #ordered(): readonly MergingCall[] {
    const isAllIndexed = this.#calls.every((call) => call.index !== undefined);
    return isAllIndexed ? [...this.#calls].sort((left, right) => (left.index ?? 0) - (right.index ?? 0)) : this.#calls;
  }

  #add(call: MergingCall, piece: CallPiece): number {
    const hadName = call.name !== undefined;
    const chars = call.add(piece);
    if (call.id !== undefined) this.#byId.set(call.id, call);
    if (!hadName && call.name !== undefined) this.onCallStart({ id: call.id ?? '', name: call.name, position: this.#calls.indexOf(call) });
    return chars;
  }

  #find(piece: CallPiece): MergingCall {
    if (piece.index !== undefined) return this.#findByIndex(piece, piece.index);
    const known = piece.id === undefined ? undefined : this.#byId.get(piece.id);
    if (known !== undefined) return known.isContinuedBy(piece) ? known : this.#open(piece);
    return this.#findUnindexed(piece);
  }

  #findByIndex(piece: CallPiece, index: number): MergingCall {
    const existing = this.#byIndex.get(index) ?? this.#findUnderOtherIndex(piece);
    if (!existing?.isContinuedBy(piece)) return this.#open(piece);
    this.#byIndex.set(index, existing);
    return existing;
  }

  /** A server that counts its chunks instead of its calls: the id tells that the call goes on (P28). */
  #findUnderOtherIndex({ id, name }: CallPiece): MergingCall | undefined {
    const known = id === undefined ? undefined : this.#byId.get(id);
    const goesOn = known !== undefined && !known.isWhole && !known.isBlank && (name === undefined || name === known.name);
    return goesOn ? known : undefined;
  }

  #findUnindexed(piece: CallPiece): MergingCall {
    const existing = piece.position === undefined ? this.#calls.at(-1) : this.#byPosition[piece.position];
    if (existing === undefined) return this.#open(piece);
    const isNewId = piece.id !== undefined && existing.id !== undefined;
    if (isNewId && (piece.name !== undefined || existing.isWhole)) return this.#open(piece);
    return existing.isContinuedBy(piece) ? existing : this.#open(piece);
  }

  #open(piece: CallPiece): MergingCall {
    const call = new MergingCall(piece.index);
    this.#calls.push(call);
    if (piece.index !== undefined) this.#byIndex.set(piece.index, call);
    if (piece.position !== undefined) this.#byPosition[piece.position] = call;
    return call;
  }
}

/** Undefined for an entry in which nothing speaks of a call. */
function toPiece(entry: UnknownRecord, position: number | undefined): CallPiece | undefined {
  const body = isRecord(entry.function) ? entry.function : isRecord(entry.custom) ? entry.custom : entry;
  const sent = ARGUMENT_FIELDS.map((field) => body[field]).find((value) => !isBlankArguments(value)) ?? body.arguments ?? undefined;
  const index = toIndex(entry.index);
  const id = nonEmptyString(entry.id);
  const name = nonEmptyString(body.name);
  const isEmpty = id === undefined && name === undefined && sent === undefined && Object.keys(entry).length <= 1;
  return isEmpty ? undefined : { entry, body, index, id, name, arguments: sent, position };
}

function toIndex(value: unknown): number | undefined {
  const index = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof index === 'number' && Number.isFinite(index) ? index : undefined;
}

/**
 * A piece under an index of its own that never got an id or a name continues the call before it, if that one's JSON was cut (P28).
 * One that holds nothing at all is no call.
 */
function withoutStrays(calls: readonly MergingCall[]): readonly MergingCall[] {
  const kept: MergingCall[] = [];
  for (const call of calls) {
    const previous = kept.at(-1);
    const isStray = call.id === undefined && call.name === undefined;
    if (!isStray) {
      // The end of a call whose id changes with each piece, and no call of its own (P22).
      const isTail = previous !== undefined && call.isBlank && call.index !== undefined && call.index === previous.index;
      if (!isTail || call.name !== previous.name) kept.push(call);
    } else if (call.isBlank) continue;
    else if (previous !== undefined && !previous.isWhole && call.isText) previous.absorb(call);
    else kept.push(call);
  }
  return kept;
}

function isSameCall(left: UnknownRecord, right: UnknownRecord): boolean {
  const [one, other] = [left.function, right.function];
  return isRecord(one) && isRecord(other) && one.name === other.name && isSameJson(String(one.arguments), String(other.arguments));
}
