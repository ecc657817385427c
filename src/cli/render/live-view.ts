/** A loop while it runs: takes items of its stream, gives the text to write. It only ever adds, so it reads the same in a pipe. */

import type { StreamItem } from '../../client/stream';
import { assertNever } from '../../domain/assert-never';
import type { LivePart } from '../../domain/live-part';
import { isTerminal, type Loop } from '../../domain/loop';
import type { TranscriptMessage, TranscriptToolCall } from '../../domain/message';
import { formatCall, formatMessage, formatNote, formatResult } from './format-message';
import { formatSummary } from './format-summary';
import { type Paint, paintStatus } from './paint';
import { printable } from './text';

const LINE_FEEDS_BETWEEN_BLOCKS = 2;

type Block = 'none' | 'head' | 'text' | 'reasoning' | 'message' | 'calls' | 'status';

export class LiveView {
  readonly #paint: Paint;
  readonly #calls = new Map<string, TranscriptToolCall>();
  #block: Block = 'none';
  /** Line feeds at the end of what was written. */
  #lineFeeds = LINE_FEEDS_BETWEEN_BLOCKS;
  /** The text of the answer that is being written, as far as it came. */
  #text = '';
  /** The first half of a surrogate pair waits for the second. */
  #half = '';

  #waitsFor: string | undefined;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  /** What is being waited for, to be told below the text; undefined while a line is open and at the end. */
  get status(): string | undefined {
    return this.#lineFeeds === 0 ? undefined : this.#waitsFor;
  }

  /** What to write for the item; often nothing. */
  push(item: StreamItem): string {
    this.#waitsFor = statusAfter(item, this.#waitsFor);
    switch (item.type) {
      case 'part':
        return this.#part(item.part);
      case 'message':
        return this.#message(item.message);
      case 'superseded':
        return this.#superseded();
      case 'loop':
        return this.#loop(item.loop);
      default:
        return assertNever(item);
    }
  }

  #part(part: LivePart): string {
    switch (part.type) {
      case 'text-delta':
        return this.#delta('text', part.text);
      case 'reasoning-delta':
        return this.#delta('reasoning', part.text);
      case 'tool-start':
      case 'tool-end':
      case 'status':
      case 'cost':
        return '';
      default:
        return assertNever(part);
    }
  }

  #delta(block: 'text' | 'reasoning', delta: string): string {
    const whole = this.#half + delta;
    this.#half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? '';
    const text = whole.slice(0, whole.length - this.#half.length);
    const isFirst = block === 'text' && this.#text.trim() === '';
    if (block === 'text') this.#text += text;
    return this.#write(block, isFirst ? text.replace(/^\s+/, '') : text);
  }

  #message(message: TranscriptMessage): string {
    for (const call of message.toolCalls) this.#calls.set(call.id, call);
    if (message.role === 'assistant') return this.#answer(message);
    if (message.role === 'tool') return this.#line('calls', formatResult(message, this.#calls, { paint: this.#paint }));
    return this.#line('message', formatMessage(message, this.#calls, { paint: this.#paint }));
  }

  /** Only what is not on the screen yet; all of it, after a note, where the screen shows something else. */
  #answer(message: TranscriptMessage): string {
    const content = message.content ?? '';
    const note = content.startsWith(this.#text) ? '' : this.#superseded();
    const text = this.#delta('text', content.slice(this.#text.length));
    this.#text = '';
    this.#half = '';
    const lines = [formatNote(message, this.#paint)].filter((line) => line !== '').map((line) => this.#line('status', line));
    const calls = message.toolCalls.map((call) => this.#line('calls', formatCall(call, { paint: this.#paint })));
    return note + text + this.#feed(1) + lines.join('') + calls.join('');
  }

  #superseded(): string {
    const isShown = this.#text.trim() !== '' || this.#block === 'reasoning';
    this.#text = '';
    this.#half = '';
    return isShown ? this.#line('status', this.#paint.dim('(this attempt was cut off)')) : '';
  }

  #loop(loop: Loop): string {
    const head = this.#block === 'none' ? this.#line('head', this.#head(loop)) : '';
    if (isTerminal(loop.status)) return head + this.#line('status', formatSummary(loop, this.#paint));
    if (loop.status !== 'paused') return head;
    const hint = loop.adminFrozen ? `frozen; go on with: solidloop unfreeze ${loop.id}` : `paused; go on with: solidloop resume ${loop.id}`;
    return head + this.#line('status', paintStatus(this.#paint, 'paused', hint));
  }

  #head(loop: Loop): string {
    const title = loop.title === null ? '' : ` · ${loop.title}`;
    return this.#paint.dim(`loop ${loop.id} · ${loop.agentName}${title}`);
  }

  /** One whole line, in its block. */
  #line(block: Block, text: string): string {
    return this.#write(block, text) + this.#feed(1);
  }

  /** Blocks of different kinds have an empty line between them. */
  #write(block: Block, given: string): string {
    const text = block === 'text' || block === 'reasoning' ? printable(given) : given;
    if (text === '') return '';
    const gap = block === this.#block ? '' : this.#feed(LINE_FEEDS_BETWEEN_BLOCKS);
    this.#block = block;
    this.#lineFeeds = countLineFeeds(text);
    return gap + (block === 'reasoning' ? this.#paint.dim(text) : text);
  }

  /** What is missing for so many line feeds at the end. */
  #feed(count: number): string {
    const missing = Math.max(0, count - this.#lineFeeds);
    this.#lineFeeds += missing;
    return '\n'.repeat(missing);
  }
}

/** A step says itself what it does; between steps the status of the loop does. */
function statusAfter(item: StreamItem, before: string | undefined): string | undefined {
  if (item.type === 'loop') return isTerminal(item.loop.status) ? undefined : item.loop.status;
  if (item.type === 'message') return statusAfterMessage(item.message);
  if (item.type !== 'part') return before;
  if (item.part.type === 'status') return item.part.status;
  return item.part.type === 'tool-start' ? `calling ${item.part.name}` : before;
}

function statusAfterMessage({ role, toolCalls }: TranscriptMessage): string {
  if (role !== 'assistant') return 'next turn';
  return toolCalls.length > 0 ? 'running tools' : 'finishing';
}

const countLineFeeds = (text: string): number => text.length - text.replace(/\n+$/, '').length;
