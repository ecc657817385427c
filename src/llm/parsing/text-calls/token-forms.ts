/** Reads calls that are set between a family's special tokens, where a server let them through as text (P67, P68, P70). */

import { isObject, parseJson } from '../../foreign-json';
import { endOfJson } from '../../stream/json-balance';
import { readJsonCalls } from './read-json-calls';
import { afterTag, skipSpace, unreadableCall, type TextCall, type TextCallBlock, type TextCallReader } from './text-call';

/** Llama: a marker, then objects with `parameters`, joined by semicolons. */
const PYTHON_TAG = '<|python_tag|>';

export const readPythonTag: TextCallReader = (text, start) => {
  const bodyStart = start + PYTHON_TAG.length;
  const json = readJsonCalls(text, bodyStart);
  if (json.isClean) return { calls: json.calls, end: skipTokens(text, json.end) };
  return unreadableRest(text, bodyStart);
};

/** Granite and Phi: a marker, then a list of objects. */
const TOOL_CALL_TOKEN = '<|tool_call|>';

export const readToolCallToken: TextCallReader = (text, start) => {
  const bodyStart = start + TOOL_CALL_TOKEN.length;
  const json = readJsonCalls(text, bodyStart);
  if (json.isClean) return { calls: json.calls, end: afterTag(text, json.end, '<|/tool_call|>') };
  return beginsJson(text, bodyStart) ? unreadableRest(text, bodyStart) : undefined;
};

/** Mistral: a list of objects, or a name and its arguments, with or without `[ARGS]` between. */
const TOOL_CALLS_MARK = '[TOOL_CALLS]';
const MISTRAL_NAME = /\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*\w+\s*)?(?:\[ARGS\]\s*)?(?=\{)/y;

export const readToolCallsMark: TextCallReader = (text, start) => {
  const bodyStart = start + TOOL_CALLS_MARK.length;
  const json = readJsonCalls(text, bodyStart);
  if (json.isClean) return { calls: json.calls, end: json.end };
  if (beginsJson(text, bodyStart)) return unreadableRest(text, bodyStart);
  MISTRAL_NAME.lastIndex = bodyStart;
  const named = MISTRAL_NAME.exec(text);
  return named?.[1] === undefined ? undefined : readArguments({ text, at: bodyStart + named[0].length, name: named[1] });
};

/** DeepSeek: the name before the separator, or after it where the type stands there; then JSON, fenced or not. */
const DEEPSEEK_CALL =
  /<｜tool▁call▁begin｜>\s*(?:function\s*<｜tool▁sep｜>\s*([^\s<`]+)|([^\s<]+)\s*<｜tool▁sep｜>)\s*(?:```(?:json)?)?\s*/y;
const DEEPSEEK_TOKENS = /(?:\s*(?:```|<｜tool▁call▁end｜>|<｜tool▁calls▁end｜>|<｜tool▁calls▁begin｜>))*/y;

export const readDeepSeekTokens: TextCallReader = (text, start) =>
  readCallList({ text, start, call: DEEPSEEK_CALL, between: DEEPSEEK_TOKENS });

/** Kimi: the name with its number, then JSON. */
const KIMI_CALL = /<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*/y;
const KIMI_TOKENS = /(?:\s*(?:<\|tool_call_end\|>|<\|tool_calls_section_end\|>|<\|tool_calls_section_begin\|>))*/y;

export const readKimiTokens: TextCallReader = (text, start) => readCallList({ text, start, call: KIMI_CALL, between: KIMI_TOKENS });

/** gpt-oss: the recipient in the header of a message, before its channel or after it. */
const HARMONY_CALL =
  /(?:<\|start\|>assistant)?\s*(?:to=([\w.-]+)\s*<\|channel\|>\w+|<\|channel\|>\w+\s+to=([\w.-]+))\s*(?:(?:<\|constrain\|>)?\w+\s*)?<\|message\|>\s*/y;
const HARMONY_TOKENS = /(?:\s*(?:<\|call\|>|<\|end\|>))*/y;

export const readHarmonyTokens: TextCallReader = (text, start) =>
  readCallList({ text, start, call: HARMONY_CALL, between: HARMONY_TOKENS });

function beginsJson(text: string, from: number): boolean {
  return /^[{[]/.test(text.charAt(skipSpace(text, from)));
}

/** What cannot be read may go on to the end: nothing of it is left as an answer. */
function unreadableRest(text: string, from: number): TextCallBlock | undefined {
  const body = text.slice(from).trim();
  return body === '' ? undefined : { calls: [unreadableCall(body)], end: text.length };
}

interface CallList {
  readonly text: string;
  readonly start: number;
  /** From the call's opening token to its JSON; the name is the group that matched. */
  readonly call: RegExp;
  readonly between: RegExp;
}

function readCallList({ text, start, call, between }: CallList): TextCallBlock | undefined {
  const calls: TextCall[] = [];
  let end = start + lengthAt(between, text, start);
  for (;;) {
    call.lastIndex = end;
    const opener = call.exec(text);
    const name = opener?.[1] ?? opener?.[2];
    if (opener === null || name === undefined) return calls.length === 0 ? undefined : { calls, end };
    const block = readArguments({ text, at: end + opener[0].length, name });
    calls.push(...block.calls);
    end = block.end + lengthAt(between, text, block.end);
    // What is no JSON was looked for to the end of the text: the search goes on from here, which is bounded.
    if (!isObject(block.calls[0]?.arguments)) return { calls, end };
  }
}

/** Arguments that are no JSON are kept as text, so that the model is told where they fail. */
function readArguments({ text, at, name }: { readonly text: string; readonly at: number; readonly name: string }): TextCallBlock {
  const jsonEnd = text[at] === '{' ? endOfJson(text, at) : -1;
  const end = jsonEnd >= 0 ? jsonEnd : nextToken(text, at);
  const written = text.slice(at, end).trim();
  const value = parseJson(written);
  return { calls: [{ name, arguments: isObject(value) ? value : written }], end };
}

function nextToken(text: string, from: number): number {
  const index = text.slice(from).search(/<[|｜]/);
  return index < 0 ? text.length : from + index;
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Llama's own marks of an end. */
function skipTokens(text: string, from: number): number {
  const at = skipSpace(text, from);
  const token = /^<\|(?:eom_id|eot_id)\|>/.exec(text.slice(at, at + 16))?.[0];
  return token === undefined ? from : at + token.length;
}
