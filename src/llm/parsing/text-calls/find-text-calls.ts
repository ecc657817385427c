/** Finds the calls in a text: not those in code fences or quotes, which are examples, nor those in thoughts (P61). */

import type { OfferedTool } from '../../../agents/middleware';
import { findActionBlocks } from './action-form';
import { readFunctions } from './function-form';
import { readJsonCalls } from './read-json-calls';
import { findTool, type TextCall, type TextCallReader } from './text-call';
import { readDeepSeekTokens, readHarmonyTokens, readKimiTokens, readPythonTag, readToolCallsMark, readToolCallToken } from './token-forms';
import { readToolCallTag } from './tool-call-tag';

export interface FindTextCallsOptions {
  readonly tools: readonly OfferedTool[];
  /** Read fenced `action` blocks where nothing else is found. */
  readonly readsActions: boolean;
}

export interface FoundTextCalls {
  readonly calls: readonly TextCall[];
  /** The text of each block, as the model wrote it. */
  readonly blocks: readonly string[];
  /** What is left of the text without them. */
  readonly content: string;
}

const READERS: Readonly<Record<string, TextCallReader>> = {
  '<tool_call>': readToolCallTag,
  '<function=': readFunctions,
  '<|python_tag|>': readPythonTag,
  '<|tool_call|>': readToolCallToken,
  '[TOOL_CALLS]': readToolCallsMark,
  '<｜tool▁calls▁begin｜>': readDeepSeekTokens,
  '<｜tool▁call▁begin｜>': readDeepSeekTokens,
  '<|tool_calls_section_begin|>': readKimiTokens,
  '<|tool_call_begin|>': readKimiTokens,
  '<|start|>assistant': readHarmonyTokens,
  '<|channel|>': readHarmonyTokens,
};

const MARKER = new RegExp(
  [
    '(?<=^|\\n)[ \\t>]*(?:(?:[-*+]|\\d+[.)])[ \\t]+)?(?<fence>```+|~~~+)',
    '(?<thought><think(?:ing)?>)',
    ...Object.keys(READERS).map(escapeForPattern),
  ].join('|'),
  'g',
);

/** So many markers are looked at: each may be read to the end of the text, and no answer has more calls than this. */
const MARKERS_LIMIT = 256;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Marks of an end that some servers let through: no part of what was written. */
const END_TOKEN = /(?:<\/s>|<\|(?:im_end|eot_id|endoftext|end_of_text|return)\|>|<｜end▁of▁sentence｜>)$/;

export function findTextCalls(written: string, options: FindTextCallsOptions): FoundTextCalls {
  const text = written.trimEnd().replace(END_TOKEN, '');
  const marked = findMarked(text, options.tools);
  if (marked.calls.length > 0) return marked;
  const actions = options.readsActions ? findActionBlocks(text) : [];
  if (actions.length > 0)
    return withoutRanges(
      text,
      actions.map((action) => action.call),
      actions,
    );
  return findBareObject(text, options.tools);
}

function findMarked(text: string, tools: readonly OfferedTool[]): FoundTextCalls {
  const calls: TextCall[] = [];
  const ranges: Range[] = [];
  MARKER.lastIndex = 0;
  for (let match = MARKER.exec(text), seen = 0; match !== null && seen < MARKERS_LIMIT; match = MARKER.exec(text), seen += 1) {
    const start = match.index;
    const skipped = endOfExample(text, match);
    const block = skipped === undefined ? READERS[match[0]]?.(text, start, tools) : undefined;
    if (block !== undefined && !isQuoted(text, start, block.end)) {
      calls.push(...block.calls);
      ranges.push({ start, end: block.end });
    }
    const next = skipped ?? block?.end;
    // A reader must not stand still, and must not be overtaken by the search that it began with.
    MARKER.lastIndex = Math.max(next ?? 0, start + match[0].length);
  }
  return withoutRanges(text, calls, ranges);
}

/** Where the text goes on after a fence, a thought or a quoted marker; undefined where the marker may open a call. */
function endOfExample(text: string, match: RegExpExecArray): number | undefined {
  const after = match.index + match[0].length;
  const fence = match.groups?.fence;
  if (fence !== undefined) return endAfter(text, new RegExp(`\\n[ \\t>]*${fence}[^\\n]*`, 'g'), after);
  if (match.groups?.thought !== undefined) return endAfter(text, /<\/think(?:ing)?>/g, after);
  return text[match.index - 1] === '`' ? after : undefined;
}

const QUOTES = /^(?:""|''|“”|„“|«»)$/;

/** A block between quotation marks, or in a line that quotes, is one that is spoken of. */
function isQuoted(text: string, start: number, end: number): boolean {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  return QUOTES.test(text.charAt(start - 1) + text.charAt(end)) || /^[ \t]*>[ \t>]*$/.test(text.slice(lineStart, start));
}

/** What is never closed goes on to the end. */
function endAfter(text: string, closer: RegExp, from: number): number {
  closer.lastIndex = from;
  const match = closer.exec(text);
  return match === null ? text.length : match.index + match[0].length;
}

/** An object without any marker is a call only where it is all of the text, and names a tool that was offered (P67). */
function findBareObject(text: string, tools: readonly OfferedTool[]): FoundTextCalls {
  const json = readJsonCalls(text, 0);
  const isAll = json.isClean && text.slice(json.end).trim() === '';
  const isKnown = json.calls.every((call) => findTool(tools, call.name) !== undefined);
  return isAll && isKnown ? withoutRanges(text, json.calls, [{ start: 0, end: text.length }]) : withoutRanges(text, [], []);
}

function withoutRanges(text: string, calls: readonly TextCall[], ranges: readonly Range[]): FoundTextCalls {
  let content = '';
  let from = 0;
  for (const { start, end } of ranges) {
    content += text.slice(from, start);
    from = end;
  }
  return { calls, blocks: ranges.map(({ start, end }) => text.slice(start, end)), content: (content + text.slice(from)).trim() };
}

function escapeForPattern(text: string): string {
  return text.replace(/[[\]|\\^$.*+?(){}]/g, '\\$&');
}
