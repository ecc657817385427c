/** Reads fenced JSON with `action` and `action_input`, which DeepSeek's models write (R44, P62). */

import { isObject, parseJson, textOf } from '../../foreign-json';
import { endOfJson } from '../../stream/json-balance';
import { readUntil, skipSpace, unreadableCall, type TextCall } from './text-call';

const FENCE = /(?<=^|\n)[ \t]*```(?:json)?\s*(?=\{)/gi;
const FENCE_END = /\s*```/y;
/** JSON that does not end is read to the end of the text: so often at most. */
const UNCLOSED_LIMIT = 16;

export interface ActionBlock {
  readonly call: TextCall;
  readonly start: number;
  readonly end: number;
}

/** The JSON is read to its end before the fence's end is looked for: there may be fences inside its strings. */
export function findActionBlocks(text: string): readonly ActionBlock[] {
  const blocks: ActionBlock[] = [];
  let unclosed = 0;
  FENCE.lastIndex = 0;
  for (let match = FENCE.exec(text); match !== null && unclosed < UNCLOSED_LIMIT; match = FENCE.exec(text)) {
    const jsonStart = skipSpace(text, match.index + match[0].length);
    const { json, end, isClosed } = readFenced(text, jsonStart);
    if (!isClosed) unclosed += 1;
    const call = actionOf(json);
    if (call !== undefined) blocks.push({ call, start: match.index, end });
    FENCE.lastIndex = end;
  }
  return blocks;
}

function readFenced(text: string, start: number): { readonly json: string; readonly end: number; readonly isClosed: boolean } {
  const jsonEnd = endOfJson(text, start);
  const isClosed = jsonEnd >= 0;
  FENCE_END.lastIndex = jsonEnd;
  const closer = jsonEnd < 0 ? null : FENCE_END.exec(text);
  if (closer !== null) return { json: text.slice(start, jsonEnd), end: jsonEnd + closer[0].length, isClosed };
  const { inner: json, end } = readUntil(text, start, '```');
  return { json, end, isClosed };
}

/** Undefined for JSON of another kind. */
function actionOf(json: string): TextCall | undefined {
  const value = parseJson(json);
  if (isObject(value))
    return 'action' in value && 'action_input' in value ? { name: textOf(value.action), arguments: value.action_input } : undefined;
  return value === undefined && json.includes('"action"') && json.includes('"action_input"') ? unreadableCall(json) : undefined;
}
