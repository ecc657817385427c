/** Turns Ctrl-C and its like into an abort while something is under way, so that it can clean up. */

import { DevStackError } from './dev-stack-error';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Afterwards the process' signals are what they were before. */
export async function withStopSignals<Result>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopped = new AbortController();
  const stop = (name: string): void => stopped.abort(new DevStackError(`stopped by ${name} while starting; nothing was left running`));
  for (const name of STOP_SIGNALS) process.on(name, stop);
  try {
    return await run(signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal]));
  } finally {
    for (const name of STOP_SIGNALS) process.removeListener(name, stop);
  }
}
