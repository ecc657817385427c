/** Reads JSON objects that stand one after the other: each a call, up to the first thing that is none. */

import { parseJson } from '../../foreign-json';
import { endOfJson } from '../../stream/json-balance';
import { callOfObject, skipSpace, type TextCall } from './text-call';

export interface JsonCalls {
  readonly calls: readonly TextCall[];
  /** Offset just after the last object. */
  readonly end: number;
  /** False where an object was not JSON, or no call: `end` is then where it begins. */
  readonly isClean: boolean;
}

const SEPARATORS = new Set([';', ',']);

/** The scan knows strings, so that braces and closing tags inside them end nothing (P55, P56). */
export function readJsonCalls(text: string, start: number): JsonCalls {
  const calls: TextCall[] = [];
  let end = start;
  for (let at = skipSpace(text, start); text[at] === '{' || text[at] === '['; at = skipSeparator(text, end)) {
    const objectEnd = endOfJson(text, at);
    const found = objectEnd < 0 ? undefined : callsOf(parseJson(text.slice(at, objectEnd)));
    if (found === undefined) return { calls, end: at, isClean: false };
    calls.push(...found);
    end = objectEnd;
  }
  return { calls, end, isClean: calls.length > 0 };
}

function callsOf(value: unknown): readonly TextCall[] | undefined {
  const calls = (Array.isArray(value) ? (value as readonly unknown[]) : [value]).map(callOfObject);
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

function skipSeparator(text: string, from: number): number {
  const at = skipSpace(text, from);
  return SEPARATORS.has(text.charAt(at)) ? skipSpace(text, at + 1) : at;
}
