/** Reads `<function=name>` with `<parameter=…>` tags, as Qwen's coder models write it, or with JSON, as Llama does (P64). */

import type { OfferedTool } from '../../../agents/middleware';
import { isObject, parseJson } from '../../foreign-json';
import { endOfJson } from '../../stream/json-balance';
import { setField } from '../../stream/json-values';
import { afterTag, argumentSchema, readPlainValue, skipSpace, type TextCall, type TextCallBlock, type TextCallReader } from './text-call';

const OPENER = /<function=([^>\s]+)>/y;
const PARAMETER = /<parameter=([^>\s]+)>/y;
const CLOSER = '</function>';

/** A closer inside a value is one only where something follows that may; without closers the next tag ends the value. */
const VALUE_END =
  /<\/parameter>(?=\s*(?:<parameter=|<\/function>|<\/tool_call>|$))|(?=<parameter=[^>\s]+>)|(?=<\/function>)|(?=<\/tool_call>)|$/g;

/** One or more functions, one after the other, and the closer of a `<tool_call>` that some models do not open. */
export const readFunctions: TextCallReader = (text, start, tools) => {
  const calls: TextCall[] = [];
  let end = start;
  for (let at = start; ; at = skipSpace(text, end)) {
    const block = readFunction(text, at, tools);
    if (block === undefined) return calls.length === 0 ? undefined : { calls, end: afterTag(text, end, '</tool_call>') };
    calls.push(...block.calls);
    end = block.end;
  }
};

const readFunction: TextCallReader = (text, start, tools) => {
  const opener = matchAt(OPENER, text, start);
  const name = opener?.[1];
  if (opener === undefined || name === undefined) return undefined;
  const at = skipSpace(text, start + opener[0].length);
  if (text[at] === '{') return readJsonFunction(text, at, name);
  return readParameters({ text, at, name, tools });
};

function readJsonFunction(text: string, at: number, name: string): TextCallBlock {
  const jsonEnd = endOfJson(text, at);
  const closer = text.indexOf(CLOSER, Math.max(at, jsonEnd));
  const end = closer < 0 ? text.length : closer;
  const json = jsonEnd < 0 ? text.slice(at, end).trim() : text.slice(at, jsonEnd);
  return {
    calls: [{ name, arguments: isObject(parseJson(json)) ? parseJson(json) : json }],
    end: closer < 0 ? Math.max(jsonEnd, end) : end + CLOSER.length,
  };
}

interface ParameterList {
  readonly text: string;
  readonly at: number;
  readonly name: string;
  readonly tools: readonly OfferedTool[];
}

/** Undefined where neither a parameter nor the closer follows: the tag was only spoken of. */
function readParameters({ text, at: start, name, tools }: ParameterList): TextCallBlock | undefined {
  const values: Record<string, unknown> = {};
  let isInValue = false;
  let at = start;
  for (;;) {
    const parameter = matchAt(PARAMETER, text, at);
    const key = parameter?.[1];
    if (parameter === undefined || key === undefined) break;
    const valueStart = at + parameter[0].length;
    VALUE_END.lastIndex = valueStart;
    const valueEnd = VALUE_END.exec(text);
    const value = text
      .slice(valueStart, valueEnd?.index)
      .replace(/^\r?\n/, '')
      .replace(/\r?\n$/, '');
    setField(values, key, readPlainValue(value, argumentSchema(tools, name, key)));
    const closerEnd = (valueEnd?.index ?? text.length) + (valueEnd?.[0].length ?? 0);
    isInValue = closerEnd === text.length && valueEnd?.[0] === '';
    at = skipSpace(text, closerEnd);
  }
  const isClosed = text.startsWith(CLOSER, at);
  if (!isClosed && at === start) return undefined;
  const ending = isInValue ? 'in-value' : 'unclosed';
  const isCut = !isClosed && at === text.length;
  return { calls: [{ name, arguments: values, ...(isCut ? { ending } : {}) }], end: isClosed ? at + CLOSER.length : at };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
