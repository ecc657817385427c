/** The readable part of an answer while it comes: content, thoughts from fields or tags, refusal. */

import type { LivePart } from '../ports';
import { readContentParts } from './content-parts';
import { takeLaterThoughts, takeUnopenedThought } from './later-thoughts';
import { ThinkSplitter, type SplitText } from './think-splitter';

export class AnswerText {
  readonly #splitter = new ThinkSplitter();
  readonly #tell: (part: LivePart) => void;
  readonly ignoredParts: Record<string, number> = {};
  #content = '';
  #reasoning = '';
  #inlineThought = '';
  #refusal = '';
  #hasContent = false;
  #isOpenThought = false;

  constructor(tell: (part: LivePart) => void) {
    this.#tell = tell;
  }

  get refusal(): string {
    return this.#refusal;
  }

  get hasReasoning(): boolean {
    return this.#reasoning !== '';
  }

  /** True where a content field held anything, be it a thought. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  /** True while all that came is thought: of fields, or of a tag that is open. */
  get isThoughtOnly(): boolean {
    return this.#refusal === '' && (!this.#hasContent || this.#splitter.isInThought);
  }

  /** Known when it is settled: the content is a thought that never ended. */
  get isOpenThought(): boolean {
    return this.#isOpenThought;
  }

  /** Takes a `content` field of any shape; answers how many characters it brought. */
  takeContent(value: unknown): number {
    if (typeof value === 'string') return this.#takeText(value);
    const parts = readContentParts(value);
    for (const type of parts.ignored) this.ignoredParts[type] = (this.ignoredParts[type] ?? 0) + 1;
    return this.takeReasoning(parts.reasoning) + this.takeRefusal(parts.refusal) + this.#takeText(parts.content);
  }

  takeReasoning(text: string): number {
    if (text === '') return 0;
    this.#reasoning += text;
    this.#tell({ type: 'reasoning-delta', text });
    return text.length;
  }

  takeRefusal(value: unknown): number {
    if (typeof value !== 'string') return 0;
    this.#refusal += value;
    return value.length;
  }

  /**
   * Content and thoughts as they are stored. A thought that never ended is the only text of a model that stopped by itself: it stays visible (P50).
   * @param mayLoseText the answer goes on without that text: it was cut by length, or it has calls
   */
  settle(mayLoseText: boolean): SplitText {
    this.#takeSplit(this.#splitter.end());
    this.#isOpenThought = this.#splitter.isInThought && !mayLoseText;
    if (this.#isOpenThought) return { content: this.#inlineThought, reasoning: this.#reasoning };
    const { content, reasoning } = this.#takeRemainingThoughts(mayLoseText);
    const thought = this.#inlineThought + reasoning;
    return { content, reasoning: thought.trim() === this.#reasoning.trim() ? this.#reasoning : this.#reasoning + thought };
  }

  #takeText(text: string): number {
    if (text === '') return 0;
    this.#hasContent = true;
    this.#takeSplit(this.#splitter.push(text));
    return text.length;
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

  /** A server that sends the thought in a field as well sends one text twice (P43). */
  #takeRemainingThoughts(mayLoseText: boolean): SplitText {
    if (this.#splitter.hadThought) return takeLaterThoughts(this.#content);
    const found = takeUnopenedThought(this.#content);
    const isLost = found.content.trim() === '' && !mayLoseText;
    return this.hasReasoning || isLost ? { content: this.#content, reasoning: '' } : found;
  }
}
