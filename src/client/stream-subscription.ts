/** One watcher of one loop: turns what a poll found into items, in the one order that a view can follow. */

import { isTerminal, type Loop, type LoopStatus } from '../domain/loop';
import type { Generation, LoopId, MessageId } from '../domain/ids';
import type { LivePart } from '../domain/live-part';
import type { TranscriptMessage } from '../domain/message';
import type { NewMessage, NumberedPart, StreamCursor, StreamNews } from '../db/live/read-streams';
import type { StreamItem, StreamPosition } from './stream';

/** How a subscription reads what a poll only counted. */
export interface StreamReader {
  readonly loop: (loopId: LoopId) => Promise<Loop>;
  readonly messages: (loopId: LoopId, ids: readonly MessageId[]) => Promise<readonly TranscriptMessage[]>;
}

export class StreamSubscription {
  readonly loopId: LoopId;
  readonly #onEnd: () => void;
  readonly #queue: StreamItem[] = [];
  #seq: number;
  #generation: Generation | null;
  #nextOffset: number;
  #status: LoopStatus | undefined;
  /** The generation whose answer is committed: its text is not live any more. */
  #answered: Generation | null = null;
  /** Something is shown that no message has taken the place of. */
  #hasShownLive = false;
  #isEnded = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(loopId: LoopId, from: StreamPosition, onEnd: () => void) {
    this.loopId = loopId;
    this.#onEnd = onEnd;
    this.#seq = from.seq ?? 0;
    this.#generation = from.generation ?? null;
    this.#nextOffset = from.offset === undefined ? 0 : from.offset + 1;
    this.#hasShownLive = from.offset !== undefined;
  }

  get cursor(): StreamCursor {
    return { loopId: this.loopId, seq: this.#seq, generation: this.#generation, nextOffset: this.#nextOffset };
  }

  /** Takes in one poll's findings. Parts of an answer that is committed are left out; those of the next come after its message. */
  async accept(news: StreamNews, reader: StreamReader): Promise<void> {
    const messages = await this.#readMessages(news.messages, reader);
    const loop = news.status === this.#status ? undefined : await reader.loop(this.loopId);
    if (this.#isEnded) return;
    if (loop !== undefined && !isTerminal(news.status)) this.#emitLoop(loop, news.status);
    this.#emitMessages(messages, news.messages);
    this.#moveTo(news.generation);
    this.#emitParts(news.parts);
    if (loop !== undefined && isTerminal(news.status)) this.#emitLoop(loop, news.status);
    this.#wake?.();
  }

  /** Ends the iteration: with an error it throws, without one it returns. Items that wait are still given. */
  end(failure?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = failure;
    this.#onEnd();
    this.#wake?.();
  }

  async *items(): AsyncGenerator<StreamItem, void, undefined> {
    for (;;) {
      for (let item = this.#queue.shift(); item !== undefined; item = this.#queue.shift()) yield item;
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #readMessages(found: readonly NewMessage[], reader: StreamReader): Promise<readonly TranscriptMessage[]> {
    return found.length === 0
      ? []
      : reader.messages(
          this.loopId,
          found.map((message) => message.id),
        );
  }

  #emitMessages(messages: readonly TranscriptMessage[], found: readonly NewMessage[]): void {
    for (const message of messages) {
      this.#queue.push({ type: 'message', loopId: this.loopId, message });
      this.#seq = Math.max(this.#seq, message.seq ?? 0);
      if (message.role !== 'assistant') continue;
      this.#answered = found.find(({ id }) => id === message.id)?.generation ?? this.#answered;
      this.#hasShownLive = false;
    }
  }

  #moveTo(generation: Generation): void {
    if (generation === this.#generation) return;
    if (this.#hasShownLive) this.#queue.push({ type: 'superseded', loopId: this.loopId, generation });
    this.#hasShownLive = false;
    this.#generation = generation;
    this.#nextOffset = 0;
  }

  #emitParts(parts: readonly NumberedPart[]): void {
    for (const { offset, part } of parts) {
      this.#nextOffset = offset + 1;
      const isAnswered = this.#generation === this.#answered;
      if (isAnswered && isText(part)) continue;
      this.#hasShownLive ||= !isAnswered;
      this.#queue.push({ type: 'part', loopId: this.loopId, generation: this.#generation ?? this.#unknownGeneration(), offset, part });
    }
  }

  #unknownGeneration(): never {
    throw new Error(`parts of loop ${this.loopId} came without a generation`);
  }

  #emitLoop(loop: Loop, status: LoopStatus): void {
    this.#status = status;
    this.#queue.push({ type: 'loop', loopId: this.loopId, loop: { ...loop, status } });
    if (isTerminal(status)) this.end();
  }
}

const isText = (part: LivePart): boolean => part.type === 'text-delta' || part.type === 'reasoning-delta';
