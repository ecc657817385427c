/** Parts thoughts from the answer where a model writes both as one text: `<think>…</think>` at its start (P50). */

/** Each with its closer. */
const TAGS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
] as const;

/** More white space than this before a tag, and it is not at the start. */
const LEADING_SPACE_LIMIT_CHARS = 200;

/** What a piece of content turned out to be. */
export interface SplitText {
  readonly content: string;
  readonly reasoning: string;
}

const NOTHING: SplitText = { content: '', reasoning: '' };

/** Incremental: a tag may be cut anywhere. Only a tag at the very start counts; later ones are prose here. */
export class ThinkSplitter {
  #state: 'start' | 'thought' | 'after-thought' | 'content' = 'start';
  #held = '';
  #closer = '';
  #hadThought = false;

  /** True while the thought that began the answer has not been closed. */
  get isInThought(): boolean {
    return this.#state === 'thought';
  }

  /** True where the answer began with a thought, closed or not. */
  get hadThought(): boolean {
    return this.#hadThought;
  }

  push(text: string): SplitText {
    if (this.#state === 'content') return { content: text, reasoning: '' };
    this.#held += text;
    if (this.#state === 'start') this.#decideStart();
    const reasoning = this.#readThought();
    return { content: this.#readContent(), reasoning };
  }

  /** What was held back as the possible start of a tag. */
  end(): SplitText {
    const held = this.#held;
    this.#held = '';
    if (held === '' || this.#state === 'after-thought') return NOTHING;
    return this.#state === 'thought' ? { content: '', reasoning: held } : { content: held, reasoning: '' };
  }

  #decideStart(): void {
    const begin = this.#held.trimStart();
    const tag = TAGS.find(([opener]) => begin.startsWith(opener));
    if (this.#held.length - begin.length > LEADING_SPACE_LIMIT_CHARS) {
      this.#state = 'content';
    } else if (tag !== undefined) {
      this.#state = 'thought';
      this.#hadThought = true;
      this.#closer = tag[1];
      this.#held = begin.slice(tag[0].length);
    } else if (!TAGS.some(([opener]) => opener.startsWith(begin))) {
      this.#state = 'content';
    }
  }

  #readThought(): string {
    if (this.#state !== 'thought') return '';
    const end = this.#held.indexOf(this.#closer);
    if (end < 0) return this.#take(this.#held.length - lengthOfBegunTag(this.#held, this.#closer));
    const thought = this.#take(end);
    this.#take(this.#closer.length);
    this.#state = 'after-thought';
    return thought;
  }

  /** The blank lines between a thought and the answer belong to neither. */
  #readContent(): string {
    if (this.#state === 'start' || this.#state === 'thought') return '';
    const text = this.#take(this.#held.length);
    const content = this.#state === 'after-thought' ? text.trimStart() : text;
    if (content !== '') this.#state = 'content';
    return content;
  }

  #take(chars: number): string {
    const taken = this.#held.slice(0, chars);
    this.#held = this.#held.slice(chars);
    return taken;
  }
}

/** How many characters at the end of `text` could be the start of the tag. */
function lengthOfBegunTag(text: string, tag: string): number {
  const start = text.lastIndexOf(tag.charAt(0));
  return start >= 0 && tag.startsWith(text.slice(start)) ? text.length - start : 0;
}
