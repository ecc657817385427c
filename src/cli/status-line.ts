/** One line at the foot of a terminal that says what is being waited for. It is erased before anything else is written, and leaves no trace. */

import type { CancelTimer, Clock } from '../util/clock';
import { formatDuration } from '../util/format-duration';
import type { Paint } from './render/paint';
import { shorten } from './render/text';

const ERASE_LINE = '\r\u001b[2K';
const TICK_MS = 1_000;
const WIDTH_CHARS = 76;

export interface StatusLineOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly clock: Clock;
}

export class StatusLine {
  readonly #options: StatusLineOptions;
  #text: string | undefined;
  #sinceMs = 0;
  #isDrawn = false;
  #cancelTick: CancelTimer | undefined;

  constructor(options: StatusLineOptions) {
    this.#options = options;
  }

  /** Writes text as if the line was not there. */
  write(text: string): void {
    if (text === '') return;
    this.#erase();
    this.#options.write(text);
  }

  /** What is waited for from now on; undefined takes the line away. The cursor must be at the start of a line. */
  show(text: string | undefined): void {
    if (text !== this.#text) this.#sinceMs = this.#options.clock.monotonicMs();
    this.#text = text;
    if (text === undefined) this.close();
    else this.#draw(text);
  }

  /** Erases the line and stops its clock. */
  close(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    this.#erase();
  }

  #draw(text: string): void {
    const seconds = Math.floor((this.#options.clock.monotonicMs() - this.#sinceMs) / 1000);
    const line = shorten(seconds === 0 ? text : `${text} · ${formatDuration(seconds)}`, WIDTH_CHARS);
    this.#erase();
    this.#options.write(this.#options.paint.dim(line));
    this.#isDrawn = true;
    this.#cancelTick?.();
    this.#cancelTick = this.#options.clock.schedule(TICK_MS, () => this.#text !== undefined && this.#draw(this.#text));
  }

  #erase(): void {
    if (this.#isDrawn) this.#options.write(ERASE_LINE);
    this.#isDrawn = false;
  }
}
