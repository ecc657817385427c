/** Finds the answer among the choices of a chunk or of a whole completion. */

import { isRecord, type UnknownRecord } from './json-values';

/** Choice 0; an index that is missing counts as 0 (P38). Some gateways put text and calls of one message into two choices. */
export function firstChoices(choices: unknown): readonly UnknownRecord[] {
  if (!Array.isArray(choices)) return [];
  return choices.filter((choice): choice is UnknownRecord => isRecord(choice) && isFirst(choice.index));
}

/** What says nothing must not hide what another choice, or an earlier chunk, said. */
export function filledFields(message: UnknownRecord): UnknownRecord {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null && value !== ''));
}

function isFirst(index: unknown): boolean {
  return index === undefined || index === null || index === 0 || index === '0';
}
