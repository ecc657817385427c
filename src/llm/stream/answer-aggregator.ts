/** Puts the chunks of a streamed completion, or one whole completion, together into one answer (R34). */

import type { LivePart } from '../ports';
import { AnswerText } from './answer-text';
import { finishKindOf } from './finish-reason';
import { filledFields, firstChoices } from './first-choices';
import { isRecord, nonEmptyString, type UnknownRecord } from './json-values';
import { mergeField } from './merge-fields';
import type { RawAnswer } from './raw-answer';
import { DETAIL_LISTS, mergeDetails } from './reasoning-details';
import { reasoningOfDelta, REASONING_TEXT_FIELDS } from './reasoning-of-delta';
import { ToolCallMerger } from './tool-call-merger';
import { usageOfChunk } from './usage-of-chunk';

export interface AggregatorOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Told text, reasoning and the starts of calls as they come. Must not throw. */
  readonly onPart?: (part: LivePart) => void;
}

const READ_FROM_CHUNK = new Set(['choices', 'usage', 'object', 'model']);
const READ_FROM_CHOICE = new Set(['index', 'delta', 'message', 'finish_reason', 'usage']);
const REASONING_FIELDS: ReadonlySet<string> = new Set([...REASONING_TEXT_FIELDS, ...DETAIL_LISTS]);

export class AnswerAggregator {
  readonly #options: AggregatorOptions;
  readonly #start: number;
  readonly #calls: ToolCallMerger;
  readonly #text: AnswerText;
  readonly #message: UnknownRecord = {};
  readonly #rest: UnknownRecord = {};
  #repeatedMessage: UnknownRecord = {};
  #finishReason: string | undefined;
  #topUsage: UnknownRecord | undefined;
  #otherUsage: UnknownRecord | undefined;
  #model: string | undefined;
  #firstToken: number | undefined;
  #firstContent: number | undefined;
  #keptChars = 0;
  #progress = 0;
  #textPieces = 0;

  /** The clock's present time is the start that the marks are measured from. */
  constructor(options: AggregatorOptions) {
    this.#options = options;
    this.#start = options.now();
    this.#text = new AnswerText((part) => options.onPart?.(part));
    this.#calls = new ToolCallMerger((call) => this.#tellCallStart(call));
  }

  /** True once choice 0 has a finish reason: the answer is whole, only usage may still come. */
  get isFinished(): boolean {
    return this.#finishReason !== undefined;
  }

  /** The provider's counts so far: the last that were not null. */
  get usage(): UnknownRecord | undefined {
    return this.#topUsage ?? this.#otherUsage;
  }

  /** True once text, reasoning or a call has come. */
  get hasTokens(): boolean {
    return this.#firstToken !== undefined;
  }

  /** Rises with content, reasoning, calls, finish and usage only: what tells a live stream from one that is merely open (P118). */
  get progress(): number {
    return this.#progress;
  }

  /** Rises with content, reasoning and calls only. */
  get textPieces(): number {
    return this.#textPieces;
  }

  /** About how much is kept so far. Characters. */
  get keptChars(): number {
    return this.#keptChars;
  }

  /** Takes one chunk. Any JSON value will do: what is no chunk is passed over. */
  push(chunk: unknown): void {
    if (!isRecord(chunk)) return;
    const choices = firstChoices(chunk.choices);
    for (const key in chunk) {
      if (!READ_FROM_CHUNK.has(key)) this.#keepRest(key, chunk[key]);
    }
    this.#model = nonEmptyString(chunk.model) ?? this.#model;
    for (const choice of choices) this.#takeChoice(choice);
    this.#keepRepeated(choices.map(({ message }) => message).filter(isRecord));
    this.#takeUsage(chunk, choices.at(-1));
  }

  /** Call it once, after the last chunk. */
  finish(): RawAnswer {
    this.#takeDelta(this.#neverSeen(this.#repeatedMessage));
    const calls = this.#calls.finish();
    const { content, reasoning } = this.#text.settle(calls.length > 0 || finishKindOf(this.#finishReason) === 'length');
    return {
      message: {
        role: 'assistant',
        ...this.#message,
        content: content === '' ? null : content,
        ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
        ...(this.#text.refusal === '' ? {} : { refusal: this.#text.refusal }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      },
      finishReason: this.#finishReason,
      usage: this.usage,
      model: this.#model,
      rest: this.#rest,
      isOpenThought: this.#text.isOpenThought,
      ignoredParts: this.#text.ignoredParts,
      marks: { start: this.#start, firstToken: this.#firstToken, firstContent: this.#firstContent, end: this.#options.now() },
    };
  }

  #keepRest(key: string, value: unknown): void {
    if (value !== null && this.#rest[key] !== value) this.#keptChars += mergeField(this.#rest, key, value);
  }

  #takeChoice(choice: UnknownRecord): void {
    for (const key in choice) {
      if (!READ_FROM_CHOICE.has(key)) this.#keepRest(key, choice[key]);
    }
    if (isRecord(choice.delta)) this.#takeDelta(choice.delta);
    const finishReason = nonEmptyString(choice.finish_reason);
    if (finishReason === undefined) return;
    this.#finishReason = finishReason;
    this.#progress += 1;
  }

  #takeUsage(chunk: UnknownRecord, choice: UnknownRecord | undefined): void {
    const found = usageOfChunk(chunk, choice);
    if (found === undefined) return;
    const before = this.usage;
    if (before?.completion_tokens !== found.usage.completion_tokens || before === undefined) this.#progress += 1;
    if (found.isTopLevel) this.#topUsage = found.usage;
    else this.#otherUsage = found.usage;
  }

  /** A whole message beside or instead of deltas counts only for what no delta brought (P34); that is known at the end. */
  #keepRepeated(messages: readonly UnknownRecord[]): void {
    if (messages.length === 0) return;
    for (const message of [...messages].reverse()) this.#repeatedMessage = { ...this.#repeatedMessage, ...filledFields(message) };
    this.#took(1, true);
  }

  #neverSeen(message: UnknownRecord): UnknownRecord {
    const isKnown = (key: string): boolean => {
      if (key === 'content') return this.#text.hasContent;
      if (key === 'refusal') return this.#text.refusal !== '';
      if (key === 'tool_calls' || key === 'function_call') return !this.#calls.isEmpty;
      if (REASONING_FIELDS.has(key)) return this.#text.hasReasoning;
      return false;
    };
    return Object.fromEntries(Object.entries(message).filter(([key]) => !isKnown(key)));
  }

  #takeDelta(delta: UnknownRecord): void {
    let hasReasoning = false;
    for (const key in delta) {
      if (key === 'content' || key === 'role') continue;
      if (REASONING_FIELDS.has(key)) hasReasoning = true;
      this.#takeField(key, delta[key]);
    }
    if (hasReasoning) this.#took(this.#text.takeReasoning(reasoningOfDelta(delta)), false);
    const { content } = delta;
    if (content !== null && content !== undefined) this.#tookText(this.#text.takeContent(content));
  }

  #takeField(key: string, value: unknown): void {
    switch (key) {
      case 'tool_calls':
        return this.#took(this.#calls.push(value), true);
      case 'function_call':
        return this.#took(this.#calls.pushLegacy(value), true);
      case 'refusal':
        return this.#tookText(this.#text.takeRefusal(value));
      case 'reasoning_details':
      case 'thinking_blocks':
        this.#keptChars += mergeDetails(this.#message, key, value);
        return;
      default:
        if (typeof value === 'string' && REASONING_FIELDS.has(key)) return;
        this.#keptChars += mergeField(this.#message, key, value);
    }
  }

  #tookText(chars: number): void {
    this.#took(chars, !this.#text.isThoughtOnly);
  }

  /** Notes progress and the first times. @param isContent it was more than a thought */
  #took(chars: number, isContent: boolean): void {
    if (chars === 0) return;
    this.#keptChars += chars;
    this.#progress += 1;
    this.#textPieces += 1;
    this.#firstToken ??= this.#options.now();
    if (isContent) this.#firstContent ??= this.#options.now();
  }

  #tellCallStart(call: { readonly id: string; readonly name: string; readonly position: number }): void {
    this.#options.onPart?.({ type: 'tool-start', callId: call.id === '' ? `call-${call.position}` : call.id, name: call.name });
  }
}
