/** Reads what GLM writes inside `<tool_call>`: the name, then pairs of `<arg_key>` and `<arg_value>` (P65). */

import { setField } from '../../stream/json-values';
import { argumentSchema, findTool, readPlainValue, readUntil, skipSpace, type TextCallReader } from './text-call';

const NAME = /([\w.:/-]+)\s*(?=<arg_key>|<\/tool_call>)/y;
const KEY = /\s*<arg_key>([^<]*)<\/arg_key>\s*<arg_value>/y;
const VALUE_CLOSER = '</arg_value>';

/** `start` is the first character after the opener that is no space. */
export const readGlmCall: TextCallReader = (text, start, tools) => {
  NAME.lastIndex = start;
  const named = NAME.exec(text);
  const name = named?.[1];
  if (named === null || name === undefined) return undefined;
  const values: Record<string, unknown> = {};
  let isInValue = false;
  let end = start + named[0].length;
  for (;;) {
    KEY.lastIndex = end;
    const key = KEY.exec(text)?.[1];
    if (key === undefined) break;
    const { inner, end: valueEnd, isClosed } = readUntil(text, KEY.lastIndex, VALUE_CLOSER);
    setField(values, key.trim(), readPlainValue(inner, argumentSchema(tools, name, key.trim())));
    isInValue = !isClosed;
    end = valueEnd;
  }
  const at = skipSpace(text, end);
  const isSpokenOf = Object.keys(values).length === 0 && findTool(tools, name) === undefined;
  if (text.startsWith('<arg_key>', at) || isSpokenOf) return undefined;
  const ending = isInValue ? 'in-value' : 'unclosed';
  return { calls: [{ name, arguments: values, ...(at === text.length ? { ending } : {}) }], end };
};
