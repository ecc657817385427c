/** The one piece of reasoning in a delta, wherever this provider puts it (P43). */

import { isRecord, nonEmptyString, toList, type UnknownRecord } from './json-values';

/** In this order the first that is not empty counts: proxies send one text under several names. A `thought: true` is a mark and no text. */
export const REASONING_TEXT_FIELDS = ['reasoning_content', 'reasoning', 'thought', 'thinking'] as const;

/** Lists of details, each with the fields of an entry that hold readable text; encrypted data is none. */
const DETAIL_FIELDS = [
  ['reasoning_details', ['text', 'summary']],
  ['thinking_blocks', ['thinking']],
] as const;

/** Empty where there is none. */
export function reasoningOfDelta(delta: UnknownRecord): string {
  for (const field of REASONING_TEXT_FIELDS) {
    const text = textOf(delta[field]);
    if (text !== '') return text;
  }
  for (const [field, names] of DETAIL_FIELDS) {
    const entries = toList(delta[field]).filter(isRecord);
    const text = entries.map((entry) => names.map((name) => nonEmptyString(entry[name]) ?? '').join('')).join('');
    if (text !== '') return text;
  }
  return '';
}

/** Some send an object with the text inside, or a list of either. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('');
  if (!isRecord(value)) return '';
  return nonEmptyString(value.content) ?? nonEmptyString(value.text) ?? '';
}
