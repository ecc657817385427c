/** Reads the body of a 200, whatever it turns out to be: events, one JSON value, lines of JSON, or something that is no answer at all. */

import { ProviderError, type ProviderErrorKind } from '../errors/provider-error';
import type { AnswerAggregator } from './answer-aggregator';
import { parseJson } from '../foreign-json';
import { findErrorInBody, findStrayError, toBodyError, type BodyError } from './error-in-body';
import { isTooDeep, JSON_DEPTH_LIMIT } from './json-balance';
import { isRecord, toList } from './json-values';
import { SseParser, type ServerSentEvent } from './sse-parser';
import { ANSWER_LIMIT_CHARS, BODY_HEAD_LIMIT_CHARS, EVENT_LIMIT_CHARS, StreamLimitError } from './stream-limits';

/** Of the response whose body is read. */
export interface ResponseInfo {
  readonly url: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface BodyReaderOptions {
  readonly response: ResponseInfo;
  readonly aggregator: AnswerAggregator;
  /** Turns a value of another API into chunks of chat completions, or a list of them. @default leaves it as it is */
  readonly translate?: ((value: unknown) => unknown) | undefined;
  /** @default EVENT_LIMIT_CHARS */
  readonly eventLimitChars?: number;
  /** @default ANSWER_LIMIT_CHARS */
  readonly answerLimitChars?: number;
}

type BodyForm = 'undecided' | 'events' | 'json' | 'page';

/** Events whose name says that they are no part of the answer. */
const KEEP_ALIVE = /^(?:ping|keep-?alive|heartbeat)$/i;

/** A server that frames what is framed already. */
const FRAMED_AGAIN = /^(?:data:\s*)+/;

/** White space, and the bytes of a byte order mark. */
const INSIGNIFICANT_BYTES = new Set([9, 10, 13, 32, 0xef, 0xbb, 0xbf]);

export class BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #events: SseParser;
  readonly #decoder = new TextDecoder('utf-8');
  #form: BodyForm = 'undecided';
  #held: Uint8Array[] = [];
  #json: string[] = [];
  #jsonChars = 0;
  #head = '';
  #hasEvents = false;
  #isDone = false;
  #isWhole = false;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
    this.#events = new SseParser(options.eventLimitChars);
  }

  /** True after `[DONE]`: nothing more is read, also where the socket stays open (P16). */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** True where the answer may be committed: it has a finish reason, or `[DONE]`, or came as one whole JSON value. */
  get isComplete(): boolean {
    return this.#isDone || this.#isWhole || this.#options.aggregator.isFinished;
  }

  /** @throws ProviderError for an error in the body, for data that is no JSON, for more than the limits allow */
  push(chunk: Uint8Array): void {
    try {
      this.#pushBytes(chunk);
      this.#checkAnswerLimit();
    } catch (error) {
      throw error instanceof StreamLimitError ? this.#failure('protocol', error.message) : error;
    }
  }

  /** At the end of the body. @throws ProviderError as `push`, and where the body held no answer */
  end(): void {
    if (this.#form === 'undecided') throw this.#failure('empty', 'the response was empty');
    if (this.#form === 'page') throw this.#notAnAnswer();
    if (this.#form === 'json') return this.#takeJsonBody(this.#json.join('') + this.#decoder.decode());
    for (const event of this.#events.end()) this.#takeEvent(event);
    if (!this.#options.aggregator.isFinished) this.#assertNoStrayError();
    if (this.#hasEvents) return;
    throw /^(data|event|id|retry)?:/m.test(this.#head) ? this.#failure('empty', 'the response was empty') : this.#notAnAnswer();
  }

  /** @throws ProviderError where lines that belong to no event tell why the answer has no end */
  #assertNoStrayError(): void {
    const { stray } = this.#events;
    const error = findStrayError(stray);
    if (error !== undefined) throw this.#errorInBody(error);
    const text = plainTextOf(stray);
    if (text !== '' && this.#hasEvents && !this.#isDone)
      throw this.#failure('stream', `the stream ended before its finish reason, with: ${text}`, text);
  }

  #pushBytes(chunk: Uint8Array): void {
    if (this.#form === 'undecided') return this.#decide(chunk);
    if (this.#head.length < BODY_HEAD_LIMIT_CHARS) this.#head += Buffer.from(chunk.subarray(0, BODY_HEAD_LIMIT_CHARS)).toString('utf8');
    if (this.#form === 'json') return this.#keepJson(chunk);
    if (this.#form === 'page') return this.#keepPage();
    for (const event of this.#events.push(chunk)) this.#takeEvent(event);
  }

  /** The first byte that means something decides, and not the content type: servers get that wrong (P13). */
  #decide(chunk: Uint8Array): void {
    this.#held.push(chunk);
    const first = chunk.find((byte) => !INSIGNIFICANT_BYTES.has(byte));
    if (first === undefined) return;
    const character = String.fromCharCode(first);
    this.#form = character === '{' || character === '[' ? 'json' : character === '<' ? 'page' : 'events';
    const held = this.#held;
    this.#held = [];
    for (const piece of held) this.#pushBytes(piece);
  }

  #keepJson(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#json.push(text);
    this.#jsonChars += text.length;
    const limit = this.#options.eventLimitChars ?? EVENT_LIMIT_CHARS;
    if (this.#jsonChars > limit) throw new StreamLimitError('the body of the response', limit);
  }

  #keepPage(): void {
    if (this.#head.length >= BODY_HEAD_LIMIT_CHARS) throw this.#notAnAnswer();
  }

  #takeEvent(event: ServerSentEvent): void {
    if (this.#isDone) return;
    this.#hasEvents = true;
    const data = event.data.trim();
    if (event.name === 'error') throw this.#errorInBody(toBodyError(this.#parse(data) ?? data));
    if (!KEEP_ALIVE.test(event.name ?? '')) this.#takeData(data);
  }

  /** Data that is no JSON may have held half a call, so the answer cannot be trusted; after the finish reason nothing is missing (P4, P8). */
  #takeData(framed: string): void {
    const data = framed.replace(FRAMED_AGAIN, '');
    if (data === '' || data.startsWith(':') || this.#isDone) return;
    if (data === '[DONE]') return void (this.#isDone = true);
    const value = this.#read(data);
    if (value !== undefined) return this.#takeValue(value);
    if (data.includes('\n')) return this.#takeJsonLines(data);
    if (!this.#options.aggregator.isFinished)
      throw this.#failure('stream', `the stream held data that is no JSON: ${data.slice(0, 200)}`, data);
  }

  #takeValue(value: unknown): void {
    const error = findErrorInBody(value);
    // Taken first, since counts may stand beside an error: what they count is paid for.
    for (const chunk of toList(value)) this.#options.aggregator.push(chunk);
    if (error !== undefined) throw this.#errorInBody(error);
  }

  #takeJsonBody(text: string): void {
    const value = this.#read(text);
    if (value === undefined) return this.#takeJsonLines(text);
    this.#takeValue(value);
    const choices = toList(value).map((entry) => (isRecord(entry) ? entry.choices : undefined));
    this.#isWhole = choices.some((list) => Array.isArray(list) && list.length > 0);
    if (this.#isWhole) return;
    throw choices.every((list) => list === undefined) ? this.#notAnAnswer() : this.#failure('empty', 'the response was empty');
  }

  #read(text: string): unknown {
    const value = this.#parse(text);
    return value === undefined || this.#options.translate === undefined ? value : this.#options.translate(value);
  }

  /** One chunk a line: without any framing, or in events that no blank line parts. */
  #takeJsonLines(text: string): void {
    for (const line of text.trim().split(/[\r\n]+/)) this.#takeData(line.trim());
  }

  #parse(text: string): unknown {
    if (isTooDeep(text)) throw this.#failure('protocol', `the response is nested deeper than ${JSON_DEPTH_LIMIT} levels; it was given up`);
    return parseJson(text);
  }

  #checkAnswerLimit(): void {
    const limit = this.#options.answerLimitChars ?? ANSWER_LIMIT_CHARS;
    if (this.#options.aggregator.keptChars > limit) throw new StreamLimitError('the answer', limit);
  }

  #errorInBody(error: BodyError): ProviderError {
    const { url, headers } = this.#options.response;
    return new ProviderError(`the provider sent an error in its answer: ${error.message}`, {
      kind: 'stream',
      url,
      headers,
      status: error.status,
      body: error.body,
      providerCode: error.code,
      providerType: error.type,
    });
  }

  #notAnAnswer(): ProviderError {
    const text = plainTextOf(this.#head);
    return this.#failure('protocol', `HTTP ${this.#options.response.status}, but not an answer of the API; check the base URL: ${text}`);
  }

  #failure(kind: ProviderErrorKind, message: string, body = this.#head): ProviderError {
    return new ProviderError(message, { kind, ...this.#options.response, body });
  }
}

const PLAIN_TEXT_LIMIT_CHARS = 300;

/** What a person would read of a page (P103). */
export function plainTextOf(page: string): string {
  const text = page
    .replace(/<(script|style)[\s\S]*?(<\/\1>|$)/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length <= PLAIN_TEXT_LIMIT_CHARS ? text : `${text.slice(0, PLAIN_TEXT_LIMIT_CHARS)}…`;
}
