/** The parts of one attempt on their way to the table: neighbours of a kind are joined, and too much of what nobody watches is let go. */

import type { Generation, LoopId } from '../../domain/ids';
import type { LivePart } from '../../domain/live-part';

/** A watcher who comes late sees the answer from its start, as long as it fits here. */
const KEPT_CHARS = 65_536;

export class LiveStream {
  readonly loopId: LoopId;
  readonly generation: Generation;
  #parts: LivePart[] = [];
  #chars = 0;
  #lastPushMs = 0;

  constructor(loopId: LoopId, generation: Generation) {
    this.loopId = loopId;
    this.generation = generation;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Monotonic milliseconds. */
  get lastPushMs(): number {
    return this.#lastPushMs;
  }

  push(part: LivePart, nowMs: number): void {
    this.#lastPushMs = nowMs;
    this.#chars += charsOf(part);
    this.#parts = joinLast(this.#parts, part);
    if (this.#chars > KEPT_CHARS) this.take();
  }

  /** All that waits, once. */
  take(): readonly LivePart[] {
    const parts = this.#parts;
    this.#parts = [];
    this.#chars = 0;
    return parts;
  }

  /** Puts back what could not be written, before what came meanwhile. */
  putBack(parts: readonly LivePart[]): void {
    this.#parts = [...parts, ...this.#parts];
    this.#chars += parts.reduce((sum, part) => sum + charsOf(part), 0);
  }
}

function joinLast(parts: LivePart[], part: LivePart): LivePart[] {
  const last = parts.at(-1);
  if (last?.type !== part.type || !('text' in last) || !('text' in part)) parts.push(part);
  else parts[parts.length - 1] = { ...last, text: last.text + part.text };
  return parts;
}

/** About what it takes; a part without text counts as one. */
function charsOf(part: LivePart): number {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return part.text.length;
    case 'tool-start':
      return 1 + (part.arguments?.length ?? 0);
    case 'tool-end':
      return 1 + (part.result?.length ?? 0);
    default:
      return 1;
  }
}
