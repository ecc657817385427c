/** What the model is told of a call that is not run (R39): which tool, what was wrong, what it sent, and how to send it right. */

import { headOf } from '../request/clean-text';
import type { JsonFault } from './json-fault';

const RAW_LIMIT_CHARS = 2_000;
const NAMES_LIMIT = 60;
const EXCERPT_BEFORE_CHARS = 60;
const EXCERPT_AFTER_CHARS = 30;

const AGAIN =
  'Send the same call again with valid JSON only: one object, double quotes around names and strings, and nothing before or after it.';

export interface SentCall {
  readonly name: string;
  readonly argumentsRaw: string;
}

export function invalidJsonAnswer(call: SentCall, fault: JsonFault): string {
  const problem = `its arguments are not valid JSON. At character ${fault.offset + 1}: ${fault.problem}.`;
  return paragraphs(`The call of "${call.name}" was not run: ${problem}`, quoted(call), pointedAt(call.argumentsRaw, fault.offset), AGAIN);
}

/** @param byLimit the provider said that its output limit ended the answer */
export function cutAnswer(call: SentCall, byLimit: boolean): string {
  const reason = byLimit ? 'its arguments were cut off by the output limit' : 'its arguments were cut off: they end before their JSON does';
  const advice = byLimit ? 'Send less in one call, or several smaller calls, each with valid JSON only.' : AGAIN;
  const place = call.argumentsRaw === '' ? '' : pointedAt(call.argumentsRaw, call.argumentsRaw.length);
  return paragraphs(
    `The call of "${call.name}" was not run: ${reason}, after ${call.argumentsRaw.length} characters.`,
    quoted(call),
    place,
    advice,
  );
}

export function notAnObjectAnswer(call: SentCall): string {
  return paragraphs(`The call of "${call.name}" was not run: arguments must be a JSON object.`, quoted(call), AGAIN);
}

/** @param offered the names that the model may use */
export function unknownToolAnswer(call: SentCall, offered: readonly string[]): string {
  const what =
    call.name === UNKNOWN_TOOL ? 'The call was not run: it names no tool.' : `The call was not run: there is no tool "${call.name}".`;
  return paragraphs(`${what} ${namesOffered(offered)}`, quoted(call));
}

export function schemaAnswer(call: SentCall, problems: readonly string[]): string {
  const list = problems.map((problem) => `- ${problem}`).join('\n');
  return paragraphs(
    `The call of "${call.name}" was not run: its arguments do not fit the tool's schema:\n${list}`,
    quoted(call),
    'Send the same call again with arguments that fit.',
  );
}

export function tooManyCallsAnswer(call: SentCall, { number, limit }: { readonly number: number; readonly limit: number }): string {
  return `The call of "${call.name}" was not run: one answer may hold at most ${limit} calls, and this was number ${number}. Send it again in your next answer.`;
}

/** A call that was written as text, in a form that could not be read. */
export function unreadableTextAnswer(
  call: SentCall,
  { problem, offset }: { readonly problem: string; readonly offset?: number | undefined },
): string {
  const place = offset === undefined ? '' : ` At character ${offset + 1} of the block:`;
  return paragraphs(
    `The call of "${call.name}" was not run: its block is not valid JSON.${place} ${problem}.`,
    quoted(call),
    offset === undefined ? '' : pointedAt(call.argumentsRaw, offset),
    'Send the same call again as one JSON object with double quotes, in this form: <tool_call>{"name": "…", "arguments": {…}}</tool_call>',
  );
}

/** The name of a call that has none. */
export const UNKNOWN_TOOL = 'unknown_tool';

function namesOffered(names: readonly string[]): string {
  if (names.length === 0) return 'No tools are offered; answer without them.';
  const sorted = [...names].sort();
  const shown = sorted.slice(0, NAMES_LIMIT).map((name) => `"${name}"`);
  const more = sorted.length > shown.length ? ` and ${sorted.length - shown.length} more` : '';
  return `The tools are: ${shown.join(', ')}${more}. Use one of these names.`;
}

function quoted(call: SentCall): string {
  if (call.argumentsRaw === '') return '';
  const shown = headOf(call.argumentsRaw, RAW_LIMIT_CHARS);
  const note = shown.length < call.argumentsRaw.length ? `… [${call.argumentsRaw.length - shown.length} more characters]` : '';
  return `You sent:\n${shown}${note}`;
}

/** The neighbourhood of the place on one line, and a caret under it. */
function pointedAt(text: string, offset: number): string {
  const before = text.slice(Math.max(0, offset - EXCERPT_BEFORE_CHARS), offset);
  const after = text.slice(offset, offset + EXCERPT_AFTER_CHARS);
  const line = onOneLine(before) + onOneLine(after);
  return `${line}\n${' '.repeat(Array.from(onOneLine(before)).length)}^`;
}

function onOneLine(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '').replace(/\p{Cc}/gu, ' ');
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
