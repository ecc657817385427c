/** Ends what a stack left running that was killed and could not end its children itself. */

import { errorCode } from '../util/error-code';
import { isSameProcess } from '../util/process-identity';
import { waitUntil, WaitTimeout } from '../util/wait-until';
import { DevStackError } from './dev-stack-error';
import type { Print } from './print';
import type { LockedProcess } from './stack-lock';

const END_TIMEOUT_MS = 15_000;
/** Postgres shuts down on it without waiting for clients, Temporal's server and the model server simply end. */
const END_SIGNAL = 'SIGINT';

/**
 * Only processes that are still the recorded ones, by start time and command line.
 * @throws DevStackError if one does not end
 */
export async function endOrphans(children: readonly LockedProcess[], print: Print): Promise<void> {
  for (const { name, pid, identity } of children.toReversed()) {
    if (!(await isSameProcess(pid, identity))) continue;
    print(`${name} (process ${pid}) is left over from a start that was killed: ending it`);
    await endProcess(pid, identity);
  }
}

async function endProcess(pid: number, identity: string): Promise<void> {
  for (const signal of [END_SIGNAL, 'SIGKILL'] as const) {
    sendSignal(pid, signal);
    try {
      await waitUntil(async () => !(await isSameProcess(pid, identity)), { timeoutMs: END_TIMEOUT_MS, what: `the end of process ${pid}` });
      return;
    } catch (error) {
      if (!(error instanceof WaitTimeout)) throw error;
    }
  }
  throw new DevStackError(`process ${pid}, left over from an earlier start, does not end: end it by hand`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
