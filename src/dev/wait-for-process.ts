/** Waits until a process of the stack answers; if it does not, the error carries the end of its log. */

import { messageOf } from '../domain/errors';
import { type ManagedProcess, readLogTail } from '../util/managed-process';
import { waitUntil, WaitTimeout } from '../util/wait-until';
import { DevStackError } from './dev-stack-error';

export interface WaitForProcessOptions {
  readonly process: ManagedProcess;
  /** Begins a sentence: `Postgres`. */
  readonly title: string;
  /** An error means "not yet"; the last one is told when the time is over. */
  readonly isReady: () => Promise<boolean>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** @throws DevStackError if the process ends, or does not answer in time; the signal's reason when aborted */
export async function waitForProcess({ process, title, isReady, timeoutMs, signal }: WaitForProcessOptions): Promise<void> {
  let lastError: unknown;
  const probe = async (): Promise<boolean> => {
    if (process.end() !== undefined) throw await toError(process, `${title} ended while it started`, lastError);
    try {
      return await isReady();
    } catch (error) {
      lastError = error;
      return false;
    }
  };
  try {
    await waitUntil(probe, { timeoutMs, what: `the start of ${title}`, signal });
  } catch (error) {
    if (!(error instanceof WaitTimeout)) throw error;
    const reason = lastError === undefined ? '' : ` (${messageOf(lastError)})`;
    throw await toError(process, `${title} does not answer after ${timeoutMs / 1000} s${reason}`, error);
  }
}

async function toError({ logFile }: ManagedProcess, what: string, cause: unknown): Promise<DevStackError> {
  return new DevStackError(`${what}; the end of its log ${logFile}: ${await readLogTail(logFile)}`, { cause });
}
