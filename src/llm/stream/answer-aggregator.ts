/** Puts the chunks of a streamed completion, or one whole completion, together into one answer (R34). */

import type { LivePart } from '../ports';
import { readContentParts } from './content-parts';
import { finishKindOf } from './finish-reason';
import { isRecord, nonEmptyString, type UnknownRecord } from './json-values';
import { takeLaterThoughts, takeUnopenedThought } from './later-thoughts';
import { mergeField } from './merge-fields';
import type { RawAnswer } from './raw-answer';
import { DETAIL_LISTS, mergeDetails } from './reasoning-details';
import { reasoningOfDelta, REASONING_TEXT_FIELDS } from './reasoning-of-delta';
import { ThinkSplitter, type SplitText } from './think-splitter';
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
  readonly #splitter = new ThinkSplitter();
  readonly #message: UnknownRecord = {};
  readonly #rest: UnknownRecord = {};
  readonly #ignoredParts: Record<string, number> = {};
  #content = '';
  #reasoning = '';
  #inlineThought = '';
  #refusal = '';
  #repeatedMessage: UnknownRecord = {};
  #hasContent = false;
  #finishReason: string | undefined;
  #topUsage: UnknownRecord | undefined;
  #otherUsage: UnknownRecord | undefined;
  #model: string | undefined;
  #firstToken: number | undefined;
  #firstContent: number | undefined;
  #keptChars = 0;
  #progress = 0;

  /** The clock's present time is the start that the marks are measured from. */
  constructor(options: AggregatorOptions) {
    this.#options = options;
    this.#start = options.now();
    this.#calls = new ToolCallMerger((call) => this.#tellCallStart(call));
  }

  /** True once choice 0 has a finish reason: the answer is whole, only usage may still come. */
  get isFinished(): boolean {
    return this.#finishReason !== undefined;
  }

  get hasUsage(): boolean {
    return (this.#topUsage ?? this.#otherUsage) !== undefined;
  }

  /** Rises with content, reasoning, calls, finish and usage only: what tells a live stream from one that is merely open (P118). */
  get progress(): number {
    return this.#progress;
  }

  /** About how much is kept so far. Characters. */
  get keptChars(): number {
    return this.#keptChars;
  }

  /** Takes one chunk. Any JSON value will do: what is no chunk is passed over. */
  push(chunk: unknown): void {
    if (!isRecord(chunk)) return;
    const choice = firstChoice(chunk.choices);
    for (const key in chunk) {
      if (!READ_FROM_CHUNK.has(key)) this.#keepRest(key, chunk[key]);
    }
    this.#model = nonEmptyString(chunk.model) ?? this.#model;
    if (choice !== undefined) this.#takeChoice(choice);
    this.#takeUsage(chunk, choice);
  }

  /** Call it once, after the last chunk. */
  finish(): RawAnswer {
    this.#takeDelta(this.#neverSeen(this.#repeatedMessage));
    this.#takeSplit(this.#splitter.end());
    const thoughts = this.#settleThoughts();
    const calls = this.#calls.finish();
    return {
      message: {
        role: 'assistant',
        ...this.#message,
        content: thoughts.content === '' ? null : thoughts.content,
        ...(thoughts.reasoning === '' ? {} : { reasoning_content: thoughts.reasoning }),
        ...(this.#refusal === '' ? {} : { refusal: this.#refusal }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      },
      finishReason: this.#finishReason,
      usage: this.#topUsage ?? this.#otherUsage,
      model: this.#model,
      rest: this.#rest,
      ignoredParts: this.#ignoredParts,
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
    if (isRecord(choice.message)) this.#keepRepeated(choice.message);
    const finishReason = nonEmptyString(choice.finish_reason);
    if (finishReason === undefined) return;
    this.#finishReason = finishReason;
    this.#progress += 1;
  }

  #takeUsage(chunk: UnknownRecord, choice: UnknownRecord | undefined): void {
    const found = usageOfChunk(chunk, choice);
    if (found === undefined) return;
    const before = this.#topUsage ?? this.#otherUsage;
    if (before?.completion_tokens !== found.usage.completion_tokens || before === undefined) this.#progress += 1;
    if (found.isTopLevel) this.#topUsage = found.usage;
    else this.#otherUsage = found.usage;
  }

  /** A whole message beside or instead of deltas counts only for what no delta brought (P34); that is known at the end. */
  #keepRepeated(message: UnknownRecord): void {
    this.#repeatedMessage = message;
    this.#markToken();
    this.#firstContent ??= this.#firstToken;
  }

  #neverSeen(message: UnknownRecord): UnknownRecord {
    const isKnown = (key: string): boolean => {
      if (key === 'content') return this.#hasContent;
      if (key === 'refusal') return this.#refusal !== '';
      if (key === 'tool_calls' || key === 'function_call') return !this.#calls.isEmpty;
      if (REASONING_FIELDS.has(key)) return this.#reasoning !== '';
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
    if (hasReasoning) this.#takeReasoning(reasoningOfDelta(delta));
    const content = delta.content;
    if (typeof content === 'string') this.#takeContent(content);
    else if (content !== null && content !== undefined) this.#takeParts(content);
  }

  #takeField(key: string, value: unknown): void {
    switch (key) {
      case 'tool_calls':
        return this.#takeCalls(this.#calls.push(value));
      case 'function_call':
        return this.#takeCalls(this.#calls.pushLegacy(value));
      case 'refusal':
        return this.#takeRefusal(value);
      case 'reasoning_details':
      case 'thinking_blocks':
        this.#keptChars += mergeDetails(this.#message, key, value);
        return;
      default:
        if (typeof value === 'string' && REASONING_FIELDS.has(key)) return;
        this.#keptChars += mergeField(this.#message, key, value);
    }
  }

  #takeContent(text: string): void {
    if (text === '') return;
    this.#hasContent = true;
    this.#keptChars += text.length;
    this.#takeSplit(this.#splitter.push(text));
    this.#markToken();
    if (!this.#splitter.isInThought) this.#firstContent ??= this.#options.now();
  }

  #takeSplit({ content, reasoning }: SplitText): void {
    if (reasoning !== '') {
      this.#inlineThought += reasoning;
      this.#tell({ type: 'reasoning-delta', text: reasoning });
    }
    if (content !== '') {
      this.#content += content;
      this.#tell({ type: 'text-delta', text: content });
    }
  }

  #takeParts(value: unknown): void {
    const parts = readContentParts(value);
    for (const type of parts.ignored) this.#ignoredParts[type] = (this.#ignoredParts[type] ?? 0) + 1;
    this.#takeReasoning(parts.reasoning);
    this.#takeRefusal(parts.refusal);
    this.#takeContent(parts.content);
  }

  #takeReasoning(text: string): void {
    if (text === '') return;
    this.#reasoning += text;
    this.#keptChars += text.length;
    this.#markToken();
    this.#tell({ type: 'reasoning-delta', text });
  }

  #takeRefusal(value: unknown): void {
    if (typeof value !== 'string' || value === '') return;
    this.#refusal += value;
    this.#keptChars += value.length;
    this.#markToken();
    this.#firstContent ??= this.#firstToken;
  }

  #takeCalls(chars: number): void {
    if (chars === 0) return;
    this.#keptChars += chars;
    this.#markToken();
    this.#firstContent ??= this.#options.now();
  }

  #markToken(): void {
    this.#progress += 1;
    this.#firstToken ??= this.#options.now();
  }

  /** Content and thoughts as they are stored. A thought that never ended is the only text of a model that stopped by itself: it stays visible. */
  #settleThoughts(): SplitText {
    const isTextLost = this.#splitter.isInThought && finishKindOf(this.#finishReason) !== 'length' && this.#calls.isEmpty;
    if (isTextLost) return { content: this.#inlineThought, reasoning: this.#reasoning };
    const later = this.#takeRemainingThoughts();
    return { content: later.content, reasoning: this.#reasoning + this.#inlineThought + later.reasoning };
  }

  #takeRemainingThoughts(): SplitText {
    if (this.#splitter.hadThought) return takeLaterThoughts(this.#content);
    return this.#reasoning === '' ? takeUnopenedThought(this.#content) : { content: this.#content, reasoning: '' };
  }

  #tell(part: LivePart): void {
    this.#options.onPart?.(part);
  }

  #tellCallStart(call: { readonly id: string; readonly name: string; readonly position: number }): void {
    this.#tell({ type: 'tool-start', callId: call.id === '' ? `call-${call.position}` : call.id, name: call.name });
  }
}

/** Choice 0; an index that is missing counts as 0 (P38). */
function firstChoice(choices: unknown): UnknownRecord | undefined {
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices) {
    if (isRecord(choice) && Number(choice.index ?? 0) === 0) return choice;
  }
  return undefined;
}
