/** Server-sent events from bytes that are cut anywhere: any line end, one decoder for the whole body, nothing lost at the end (P1-P8). */

import { BODY_HEAD_LIMIT_CHARS, EVENT_LIMIT_CHARS, StreamLimitError } from './stream-limits';

export interface ServerSentEvent {
  /** The `event` field; undefined where there was none. */
  readonly name: string | undefined;
  /** All `data` lines, joined by line feeds. */
  readonly data: string;
}

const CARRIAGE_RETURN = 13;
/** The fields of the format; the one without a name is a comment. */
const FIELDS: ReadonlySet<string> = new Set(['', 'data', 'event', 'id', 'retry']);
const LINE_END = /[\r\n]/g;

export class SseParser {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #limitChars: number;
  #lineStart: string[] = [];
  #data: string[] = [];
  #name: string | undefined;
  #stray = '';
  #endedInCarriageReturn = false;
  #lineChars = 0;
  #dataChars = 0;

  /** @param limitChars longest event. @default EVENT_LIMIT_CHARS */
  constructor(limitChars = EVENT_LIMIT_CHARS) {
    this.#limitChars = limitChars;
  }

  /** The start of the lines that belong to no event: what a server wrote without any framing, an error most likely. */
  get stray(): string {
    return this.#stray;
  }

  /** @throws StreamLimitError where one event grows past the limit */
  push(chunk: Uint8Array): readonly ServerSentEvent[] {
    return this.#pushText(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The event that had no blank line after it, if any (P8). */
  end(): readonly ServerSentEvent[] {
    const events = [...this.#pushText(this.#decoder.decode())];
    if (this.#lineStart.length > 0) this.#takeLine('');
    const last = this.#takeEvent();
    if (last !== undefined) events.push(last);
    return events;
  }

  #pushText(text: string): readonly ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    let start = this.#skipSecondHalfOfLineEnd(text);
    LINE_END.lastIndex = start;
    for (let match = LINE_END.exec(text); match !== null; match = LINE_END.exec(text)) {
      const isBlank = this.#takeLine(text.slice(start, match.index));
      const event = isBlank ? this.#takeEvent() : undefined;
      if (event !== undefined) events.push(event);
      start = afterLineEnd(text, match.index);
      LINE_END.lastIndex = start;
    }
    if (text.length > 0) this.#endedInCarriageReturn = text.charCodeAt(text.length - 1) === CARRIAGE_RETURN;
    if (start < text.length) this.#keepLineStart(text.slice(start));
    return events;
  }

  /** A carriage return ended its line at once; the line feed that comes with the next chunk belongs to it (P2). */
  #skipSecondHalfOfLineEnd(text: string): number {
    return this.#endedInCarriageReturn && text.startsWith('\n') ? 1 : 0;
  }

  #keepLineStart(text: string): void {
    this.#lineStart.push(text);
    this.#lineChars += text.length;
    this.#checkLimit();
  }

  /** True for a blank line. Comments, ids, retry times and unknown fields are passed over. */
  #takeLine(rest: string): boolean {
    const line = this.#lineStart.length === 0 ? rest : this.#lineStart.join('') + rest;
    this.#lineStart = [];
    this.#lineChars = 0;
    if (line === '') return true;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    if (!FIELDS.has(field)) this.#keepStray(line);
    if (field !== 'data' && field !== 'event') return false;
    const valueStart = line[colon + 1] === ' ' ? colon + 2 : colon + 1;
    const value = colon < 0 ? '' : line.slice(valueStart);
    if (field === 'event') this.#name = value;
    else this.#data.push(value);
    this.#dataChars += value.length;
    this.#checkLimit();
    return false;
  }

  #keepStray(line: string): void {
    if (this.#stray.length < BODY_HEAD_LIMIT_CHARS) this.#stray += `${line.slice(0, BODY_HEAD_LIMIT_CHARS)}\n`;
  }

  #takeEvent(): ServerSentEvent | undefined {
    const event = this.#data.length === 0 ? undefined : { name: this.#name, data: this.#data.join('\n') };
    this.#data = [];
    this.#name = undefined;
    this.#dataChars = 0;
    return event;
  }

  #checkLimit(): void {
    if (this.#lineChars + this.#dataChars > this.#limitChars) throw new StreamLimitError('one event of the stream', this.#limitChars);
  }
}

function afterLineEnd(text: string, index: number): number {
  return text.charCodeAt(index) === CARRIAGE_RETURN && text[index + 1] === '\n' ? index + 2 : index + 1;
}
