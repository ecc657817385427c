/** Colours of the terminal: on a TTY that takes them, never with NO_COLOR, never in a pipe. */

import pc from 'picocolors';
import type { LoopStatus } from '../../domain/loop';

export type Paint = ReturnType<typeof pc.createColors>;

/** `isTerminal`: the stream is a TTY. picocolors itself honours NO_COLOR. */
export const createPaint = (isTerminal: boolean): Paint => pc.createColors(isTerminal && pc.isColorSupported);

export const PLAIN: Paint = pc.createColors(false);

/** Each status has one colour everywhere. */
export function paintStatus(paint: Paint, status: LoopStatus, text: string = status): string {
  switch (status) {
    case 'init':
    case 'queued':
      return paint.cyan(text);
    case 'running':
      return paint.blue(text);
    case 'paused':
      return paint.yellow(text);
    case 'completed':
      return paint.green(text);
    case 'failed':
      return paint.red(text);
    case 'cancelled':
      return paint.magenta(text);
  }
}
