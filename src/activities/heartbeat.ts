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

export function startHeartbeat(context: Context): Heartbeat {
  let details: { phase: string; progress?: unknown } = { phase: 'starting' };
  const beat = (): void => context.heartbeat(details);
  const timer = setInterval(beat, (context.info.heartbeatTimeoutMs ?? DEFAULT_TIMEOUT_MS) / BEATS_A_TIMEOUT);
  return {
    report: (phase, progress) => {
      details = progress === undefined ? { phase } : { phase, progress };
    },
    phase: () => details.phase,
    stop: () => clearInterval(timer),
  };
}
