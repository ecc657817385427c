/** A long-lived child process: its output goes to a file, and it does not outlive this process. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { errorCode } from './error-code';
import type { ProcessUser } from './process-user';
import { waitUntil, WaitTimeout } from './wait-until';

const LOG_TAIL_CHARS = 1500;

export interface ManagedProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Standard output and error of this run; an earlier run's are gone. */
  readonly logFile: string;
  readonly cwd?: string;
  readonly user?: ProcessUser | undefined;
  /** The whole environment of the child. @default that of this process */
  readonly environment?: Readonly<Record<string, string>>;
  /** Asks it to end. */
  readonly stopSignal: NodeJS.Signals;
  /** After so long without an end it is killed. Milliseconds. */
  readonly stopTimeoutMs: number;
}

/** What the end of a process looked like. */
export type ProcessEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null } | { readonly error: Error };

export interface ManagedProcess {
  readonly pid: number;
  readonly logFile: string;
  /** Undefined while it runs. */
  readonly end: () => ProcessEnd | undefined;
  /** Called once if it ends without having been stopped. */
  readonly onUnexpectedEnd: (callback: () => void) => void;
  /** Idempotent; the second caller waits for the same end. */
  readonly stop: () => Promise<void>;
}

/**
 * The child has a process group of its own, so that Ctrl-C reaches only this process, which then ends its children in order.
 * If this process exits without stopping it, the child is signalled on the way out.
 * @throws Error if the program cannot be started
 */
export async function startProcess(options: ManagedProcessOptions): Promise<ManagedProcess> {
  const child = spawnWithLog(options);
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  return superviseProcess(child, options);
}

/** The last lines of a log file, for an error's sentence; empty if there are none. */
export async function readLogTail(logFile: string): Promise<string> {
  try {
    return (await readFile(logFile, 'utf8')).slice(-LOG_TAIL_CHARS).trim();
  } catch (error) {
    return `(the log ${logFile} cannot be read: ${error instanceof Error ? error.message : String(error)})`;
  }
}

function spawnWithLog({ command, args, logFile, cwd, user, environment }: ManagedProcessOptions): ChildProcess {
  const log = openSync(logFile, 'w');
  try {
    return spawn(command, args, {
      detached: true,
      // Its standard input stays open as long as this process lives: a child may watch it.
      stdio: ['pipe', log, log],
      ...(cwd === undefined ? {} : { cwd }),
      ...(environment === undefined ? {} : { env: environment }),
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    });
  } finally {
    closeSync(log);
  }
}

function superviseProcess(child: ChildProcess, { logFile, stopSignal, stopTimeoutMs }: ManagedProcessOptions): ManagedProcess {
  const pid = child.pid ?? 0;
  let end: ProcessEnd | undefined;
  let stopping: Promise<void> | undefined;
  const watchers: (() => void)[] = [];
  const signalOnExit = (): void => void child.kill(stopSignal);
  process.once('exit', signalOnExit);
  // Writing to a child that is gone is no news: its exit is.
  child.stdin?.on('error', () => undefined);
  child.once('exit', (code, signal) => {
    end = { code, signal };
    process.removeListener('exit', signalOnExit);
    if (stopping === undefined) for (const notify of watchers) notify();
  });
  const stop = async (): Promise<void> => {
    if (end !== undefined) return;
    child.kill(stopSignal);
    try {
      await waitUntil(() => end, { timeoutMs: stopTimeoutMs, what: `the end of process ${pid}` });
    } catch (error) {
      if (!(error instanceof WaitTimeout)) throw error;
      killGroup(pid);
      await waitUntil(() => end, { timeoutMs: stopTimeoutMs, what: `the end of killed process ${pid}` });
    }
  };
  return {
    pid,
    logFile,
    end: () => end,
    onUnexpectedEnd: (callback) => void watchers.push(callback),
    stop: () => (stopping ??= stop()),
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
