/** Reads `<tool_call>…</tool_call>`: JSON inside, or the forms of Qwen's coder models and of GLM (P55-P59, P64, P65). */

import { readGlmCall } from './glm-form';
import { readFunctions } from './function-form';
import { readJsonCalls } from './read-json-calls';
import { afterTag, skipSpace, unreadableCall, readUntil, type TextCallReader } from './text-call';

const TOOL_CALL_OPENER = '<tool_call>';
const CLOSER = '</tool_call>';

export const readToolCallTag: TextCallReader = (text, start, tools) => {
  const bodyStart = start + TOOL_CALL_OPENER.length;
  const at = skipSpace(text, bodyStart);
  // An opener that is written twice: the second one counts.
  if (text.startsWith(TOOL_CALL_OPENER, at)) return undefined;
  const inner = text.startsWith('<function=', at) ? readFunctions(text, at, tools) : readGlmCall(text, at, tools);
  if (inner !== undefined) return { calls: inner.calls, end: afterTag(text, inner.end, CLOSER) };
  if (text[at] === '{' || text[at] === '[') return readJsonBody(text, bodyStart);
  const { inner: body, end, isClosed } = readUntil(text, bodyStart, CLOSER);
  return isClosed && /[{<(]/.test(body) ? { calls: [unreadableCall(body)], end } : undefined;
};

/** A block that is not JSON to its end is answered as a whole: never a part of it in silence (P59). */
function readJsonBody(text: string, bodyStart: number): ReturnType<TextCallReader> {
  const json = readJsonCalls(text, bodyStart);
  const at = skipSpace(text, json.end);
  if (json.isClean && text.startsWith(CLOSER, at)) return { calls: json.calls, end: at + CLOSER.length };
  const rest = readUntil(text, json.isClean ? json.end : bodyStart, CLOSER);
  const isUnclosed = !rest.isClosed || rest.inner.includes(TOOL_CALL_OPENER);
  if (json.isClean && isUnclosed) return { calls: json.calls, end: json.end };
  return { calls: [unreadableCall(text.slice(bodyStart, rest.isClosed ? rest.end - CLOSER.length : rest.end))], end: rest.end };
}
