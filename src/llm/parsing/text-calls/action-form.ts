/** Reads fenced JSON with `action` and `action_input`, which DeepSeek's models write (R44, P62). */

import { isObject, parseJson, textOf } from '../../foreign-json';
import { endOfJson } from '../../stream/json-balance';
import { skipSpace, unreadableCall, type TextCall } from './text-call';

const FENCE = /(?<=^|\n)[ \t]*```(?:json)?[ \t]*\r?\n?\s*(?=\{)/gi;
const FENCE_END = /\s*```/y;

export interface ActionBlock {
  readonly call: TextCall;
  readonly start: number;
  readonly end: number;
}

/** The JSON is read to its end before the fence's end is looked for: there may be fences inside its strings. */
export function findActionBlocks(text: string): readonly ActionBlock[] {
  const blocks: ActionBlock[] = [];
  FENCE.lastIndex = 0;
  for (let match = FENCE.exec(text); match !== null; match = FENCE.exec(text)) {
    const jsonStart = skipSpace(text, match.index + match[0].length);
    const { json, end } = readFenced(text, jsonStart);
    const call = actionOf(json);
    if (call !== undefined) blocks.push({ call, start: match.index, end });
    FENCE.lastIndex = end;
  }
  return blocks;
}

function readFenced(text: string, start: number): { readonly json: string; readonly end: number } {
  const jsonEnd = endOfJson(text, start);
  FENCE_END.lastIndex = jsonEnd;
  const closer = jsonEnd < 0 ? null : FENCE_END.exec(text);
  if (closer !== null) return { json: text.slice(start, jsonEnd), end: jsonEnd + closer[0].length };
  const fence = text.indexOf('```', start);
  return fence < 0 ? { json: text.slice(start), end: text.length } : { json: text.slice(start, fence), end: fence + 3 };
}

/** Undefined for JSON of another kind. */
function actionOf(json: string): TextCall | undefined {
  const value = parseJson(json);
  if (isObject(value))
    return 'action' in value && 'action_input' in value ? { name: textOf(value.action), arguments: value.action_input } : undefined;
  return value === undefined && json.includes('"action"') && json.includes('"action_input"') ? unreadableCall(json) : undefined;
}
