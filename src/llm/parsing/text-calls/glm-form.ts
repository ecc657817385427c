/** Reads what GLM writes inside `<tool_call>`: the name, then pairs of `<arg_key>` and `<arg_value>` (P65). */

import { argumentSchema, findTool, readPlainValue, skipSpace, type TextCallReader } from './text-call';

const NAME = /([\w.:/-]+)\s*(?=<arg_key>|<\/tool_call>)/y;
const PAIR = /\s*<arg_key>([\s\S]*?)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/y;

/** `start` is the first character after the opener that is no space. */
export const readGlmCall: TextCallReader = (text, start, tools) => {
  NAME.lastIndex = start;
  const named = NAME.exec(text);
  const name = named?.[1];
  if (named === null || name === undefined) return undefined;
  const values: Record<string, unknown> = {};
  let end = start + named[0].length;
  for (;;) {
    PAIR.lastIndex = end;
    const pair = PAIR.exec(text);
    if (pair?.[1] === undefined || pair[2] === undefined) break;
    const key = pair[1].trim();
    values[key] = readPlainValue(pair[2], argumentSchema(tools, name, key));
    end += pair[0].length;
  }
  const isCut = text.startsWith('<arg_key>', skipSpace(text, end));
  const isSpokenOf = Object.keys(values).length === 0 && findTool(tools, name) === undefined;
  return isCut || isSpokenOf ? undefined : { calls: [{ name, arguments: values }], end };
};
