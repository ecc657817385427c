/** Shows an answer while it comes: live parts at once, the shell from time to time, progress for the heartbeat (R33). */

import type { LivePart, LlmPorts } from '../ports';

/** The shell is written at most so often, and only when the text grew by half. */
const SHELL_INTERVAL_MS = 1_000;
const SHELL_GROWTH = 1.5;

const ENDS_IN_HALF_CHARACTER = /[\uD800-\uDBFF]$/;

export class StreamFeed {
  readonly #ports: Pick<LlmPorts, 'live' | 'shell' | 'onProgress' | 'now'>;
  readonly #halves = { 'text-delta': '', 'reasoning-delta': '' };
  #content = '';
  #reasoning = '';
  #shellAt: number;
  #shellChars = 0;

  constructor(ports: Pick<LlmPorts, 'live' | 'shell' | 'onProgress' | 'now'>) {
    this.#ports = ports;
    this.#shellAt = ports.now();
  }

  readonly push = (part: LivePart): void => {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') this.#pushText(part);
    else this.#ports.live.push(part);
  };

  /** After each piece of the body that brought something. */
  readonly flush = (): void => {
    const chars = this.#content.length + this.#reasoning.length;
    this.#ports.onProgress('streaming', chars);
    const now = this.#ports.now();
    if (now - this.#shellAt < SHELL_INTERVAL_MS || chars <= this.#shellChars * SHELL_GROWTH) return;
    this.#shellAt = now;
    this.#shellChars = chars;
    this.#ports.shell.update({ content: this.#content, reasoning: this.#reasoning });
  };

  /** Half of a character that was cut between two deltas waits for its other half (P7). */
  #pushText(part: { readonly type: 'text-delta' | 'reasoning-delta'; readonly text: string }): void {
    const text = this.#halves[part.type] + part.text;
    const half = ENDS_IN_HALF_CHARACTER.exec(text)?.[0] ?? '';
    this.#halves[part.type] = half;
    const whole = half === '' ? text : text.slice(0, -1);
    if (whole === '') return;
    if (part.type === 'text-delta') this.#content += whole;
    else this.#reasoning += whole;
    this.#ports.live.push({ type: part.type, text: whole });
  }
}
