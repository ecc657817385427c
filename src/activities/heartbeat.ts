/** Beats by timer from an activity's first line to its last; the details say its phase and progress. Its start counts as a beat. */

import type { Context } from '@temporalio/activity';

export interface Heartbeat {
  /** Said with the next beats: where the attempt is. */
  readonly report: (phase: string, progress?: unknown) => void;
  readonly phase: () => string;
  readonly stop: () => void;
}

const BEATS_A_TIMEOUT = 4;
const DEFAULT_TIMEOUT_MS = 30_000;
/** As JSON. */
const PROGRESS_LIMIT_CHARS = 1_000;

export function startHeartbeat(context: Context): Heartbeat {
  let details: { phase: string; progress?: unknown } = { phase: 'starting' };
  const beat = (): void => context.heartbeat(details);
  const timer = setInterval(beat, (context.info.heartbeatTimeoutMs ?? DEFAULT_TIMEOUT_MS) / BEATS_A_TIMEOUT);
  return {
    report: (phase, progress) => {
      details = progress === undefined ? { phase } : { phase, progress: toProgress(progress) };
    },
    phase: () => details.phase,
    stop: () => clearInterval(timer),
  };
}

/** A tool may report any value, and change it later. One that Temporal cannot take would end the attempt, each time again. */
function toProgress(value: unknown): unknown {
  try {
    const text = JSON.stringify(value);
    return text.length <= PROGRESS_LIMIT_CHARS
      ? JSON.parse(text)
      : `left out: ${text.length} characters, and at most ${PROGRESS_LIMIT_CHARS} are told`;
  } catch {
    // Functions, cycles and bigints have no form in JSON: that the tool is at work is told all the same.
    return 'left out: it has no form in JSON';
  }
}
