/** Merges `reasoning_details` and `thinking_blocks`: opaque lists that go back to their provider to the byte (P47, P49). */

import { isRecord, nonEmptyString, toList, type UnknownRecord } from './json-values';
import { CONCATENATED_IN_DETAILS, mergeField, mergeFields } from './merge-fields';

export const DETAIL_LISTS = ['reasoning_details', 'thinking_blocks'] as const;

/** Merges by index where there is one; else a piece continues the last entry of its type until that one is signed. */
export function mergeDetails(message: UnknownRecord, key: string, value: unknown): number {
  const entries = toList(value).filter(isRecord);
  let chars = 0;
  for (const entry of entries) {
    const merged = Array.isArray(message[key]) ? (message[key] as unknown[]) : [];
    if (typeof entry.index === 'number') chars += mergeField(message, key, [entry], { concatenated: CONCATENATED_IN_DETAILS });
    else chars += mergeIntoLast(merged, entry);
    if (typeof entry.index !== 'number') message[key] = merged;
  }
  return chars;
}

function mergeIntoLast(merged: unknown[], entry: UnknownRecord): number {
  const last = merged.at(-1);
  if (isRecord(last) && isContinuedBy(last, entry)) return mergeFields(last, entry, { concatenated: CONCATENATED_IN_DETAILS });
  const added: UnknownRecord = {};
  merged.push(added);
  return mergeFields(added, entry, { concatenated: CONCATENATED_IN_DETAILS });
}

/** Encrypted data comes whole, so that each entry with it is one of its own. */
function isContinuedBy(last: UnknownRecord, entry: UnknownRecord): boolean {
  const isSigned = nonEmptyString(last.signature) !== undefined;
  return !isSigned && last.type === entry.type && (entry.id ?? last.id) === last.id && entry.data === undefined;
}
