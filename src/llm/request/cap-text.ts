/** Shortens a long tool result for the model: its head, its tail, and how to read on. */

import { headOf, tailOf } from './clean-text';

/** The part of the room that the beginning gets. */
const HEAD_SHARE = 0.7;

export interface CapOptions {
  /** Most characters of the text itself; the note comes on top. */
  readonly maximum: number;
  /** What to do to see the rest, given the first character that was left out. */
  readonly howToReadOn?: (offset: number) => string;
}

export function capText(text: string, { maximum, howToReadOn }: CapOptions): string {
  if (text.length <= maximum) return text;
  const head = headOf(text, Math.floor(maximum * HEAD_SHARE));
  const tail = tailOf(text, maximum - head.length);
  const omitted = text.length - head.length - tail.length;
  const hint = howToReadOn === undefined ? '' : ` ${howToReadOn(head.length)}`;
  return `${head}\n\n[${omitted} of ${text.length} characters are left out here.${hint}]\n\n${tail}`;
}
