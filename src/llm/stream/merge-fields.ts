/** How the fields of one delta join those that came before, by their names (R34). */

import { isRecord, nonEmptyString, ownField, setField, type UnknownRecord } from './json-values';

/** Strings that come in pieces. */
const CONCATENATED = new Set(['content', 'arguments', 'reasoning_content', 'reasoning', 'thought', 'refusal', 'transcript']);

/** Strings in pieces inside an entry of `reasoning_details` or `thinking_blocks`. */
export const CONCATENATED_IN_DETAILS: ReadonlySet<string> = new Set(['text', 'summary', 'thinking']);

const FIRST_WINS = new Set(['id', 'name']);

/** Deeper than this, values are replaced and not merged: no real answer is so deep, and the stack is finite. */
const MERGE_DEPTH_LIMIT = 40;
const FIELD_COST_CHARS = 16;

export interface MergeOptions {
  /** More names of strings that come in pieces. */
  readonly concatenated?: ReadonlySet<string>;
  readonly depth?: number;
}

/** Merges all fields of `delta` into `target`; answers about how many characters more are kept. */
export function mergeFields(target: UnknownRecord, delta: UnknownRecord, options: MergeOptions = {}): number {
  let chars = 0;
  for (const key of Object.keys(delta)) chars += mergeField(target, key, delta[key], options);
  return chars;
}

/** Nulls are ignored, and an empty string replaces nothing; see R34 for the rest. */
export function mergeField(target: UnknownRecord, key: string, value: unknown, options: MergeOptions = {}): number {
  if (value === null || value === undefined) return 0;
  const before = ownField(target, key);
  if (typeof value === 'string') return mergeString({ target, key, value, before, options });
  if (Array.isArray(value) && value.length > 0 && value.every(isIndexed)) return mergeIndexed({ target, key, value, before, options });
  const depth = options.depth ?? 0;
  if (isRecord(value) && depth < MERGE_DEPTH_LIMIT) {
    const merged = isRecord(before) ? before : {};
    setField(target, key, merged);
    return FIELD_COST_CHARS + mergeFields(merged, value, { ...options, depth: depth + 1 });
  }
  setField(target, key, value);
  return before === undefined ? FIELD_COST_CHARS : 0;
}

interface FieldMerge<Value> {
  readonly target: UnknownRecord;
  readonly key: string;
  readonly value: Value;
  readonly before: unknown;
  readonly options: MergeOptions;
}

function mergeString({ target, key, value, before, options }: FieldMerge<string>): number {
  const isInPieces = CONCATENATED.has(key) || (options.concatenated?.has(key) ?? false);
  if (isInPieces && typeof before === 'string') {
    setField(target, key, before + value);
    return value.length;
  }
  if ((FIRST_WINS.has(key) || value === '') && nonEmptyString(before) !== undefined) return 0;
  setField(target, key, value);
  return typeof before === 'string' ? Math.max(0, value.length - before.length) : value.length + FIELD_COST_CHARS;
}

type IndexedEntry = UnknownRecord & { readonly index: number };

function isIndexed(value: unknown): value is IndexedEntry {
  return isRecord(value) && typeof value.index === 'number';
}

/** Lists that were merged here: sorted, and every entry has an index. */
const mergedLists = new WeakSet<object>();

/** Entries of one index are one entry, also within one delta (P29); the list is kept sorted by index. */
function mergeIndexed({ target, key, value, before, options }: FieldMerge<readonly IndexedEntry[]>): number {
  const depth = options.depth ?? 0;
  const merged = toMergedList(before);
  let chars = 0;
  for (const entry of value) {
    const place = placeOf(merged, entry.index);
    const existing = merged[place];
    if (existing?.index !== entry.index) {
      const added: UnknownRecord = {};
      chars += FIELD_COST_CHARS + mergeFields(added, entry, { ...options, depth: depth + 1 });
      merged.splice(place, 0, { ...added, index: entry.index });
    } else if (depth < MERGE_DEPTH_LIMIT) {
      chars += mergeFields(existing, entry, { ...options, depth: depth + 1 });
    }
  }
  setField(target, key, merged);
  return chars;
}

/** The list itself where it was merged here, so that a long one is not copied for each delta. */
function toMergedList(before: unknown): IndexedEntry[] {
  if (Array.isArray(before) && mergedLists.has(before)) return before as IndexedEntry[];
  const list = (Array.isArray(before) ? before.filter(isIndexed) : []).sort((left, right) => left.index - right.index);
  mergedLists.add(list);
  return list;
}

/** Where the entry of that index stands, or belongs. */
function placeOf(list: readonly IndexedEntry[], index: number): number {
  let low = 0;
  for (let high = list.length; low < high;) {
    const middle = (low + high) >>> 1;
    const found = list[middle]?.index;
    if (typeof found !== 'number' || found < index) low = middle + 1;
    else high = middle;
  }
  return low;
}
