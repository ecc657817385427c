/** Starts a worker in a process of its own and gives the handle by which a test kills, stops and continues it. */

import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArrivedMessage, FromWorker, ToWorker, WorkerPlan } from './worker-messages';

/** A step of a worker process that waits at a named point. */
export interface Arrival extends Omit<ArrivedMessage, 'kind' | 'number'> {
  readonly worker: WorkerProcess;
}

export interface WorkerProcess {
  readonly pid: number;
  /** SIGKILL: it is gone when this resolves. Harmless for one that is gone. */
  readonly kill: () => Promise<void>;
  /** SIGSTOP: it lives on and does nothing, until `continue`. */
  readonly stop: () => void;
  /** SIGCONT. */
  readonly continue: () => void;
  /** SIGTERM: a graceful shutdown. Resolves with its exit code; null where a signal ended it. */
  readonly terminate: () => Promise<number | null>;
  readonly isAlive: () => boolean;
  /** Resolves when the process is gone, whatever ended it. */
  readonly ended: Promise<void>;
}

export interface StartWorkerOptions extends WorkerPlan {
  /** The step goes on when this resolves. @default at once */
  readonly onArrival?: (arrival: Arrival) => void | Promise<void>;
}

/** Resolves when the worker polls. It ends with this process. @throws Error with what the worker said where it could not start */
export async function startWorkerProcess({ onArrival, ...plan }: StartWorkerOptions): Promise<WorkerProcess> {
  const child = forkWorker();
  const worker = toHandle(child);
  const tell = (message: ToWorker): void => void (child.connected && child.send(message, () => undefined)); // one that is gone hears nothing
  const ready = new Promise<void>((resolve, reject) => {
    child.once('exit', (code, signal) =>
      reject(new Error(`the worker process ended (code ${code}, signal ${signal}) before it was ready`)),
    );
    child.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') resolve();
      else if (message.kind === 'failed') reject(new Error(`the worker process failed: ${message.error}`));
      else void answer(message);
    });
  });
  const answer = async ({ kind: _, number, ...place }: ArrivedMessage): Promise<void> => {
    await onArrival?.({ ...place, worker });
    tell({ kind: 'go', number });
  };
  tell({ kind: 'start', plan });
  await ready.catch(async (error: unknown) => {
    await worker.kill();
    throw error;
  });
  return worker;
}

function forkWorker(): ChildProcess {
  const extension = extname(__filename);
  const loader = extension === '.ts' ? ['--import', pathToFileURL(require.resolve('tsx')).href] : [];
  return fork(join(__dirname, `worker-process${extension}`), { execArgv: loader, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

function toHandle(child: ChildProcess): WorkerProcess {
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  // A stopped process would outlive this one: SIGKILL reaches it all the same.
  const killOnExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killOnExit);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void ended.then(() => process.removeListener('exit', killOnExit));
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (!isAlive()) return child.exitCode;
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  return {
    pid: child.pid ?? 0,
    kill: async () => void (await end('SIGKILL')),
    stop: () => void child.kill('SIGSTOP'),
    continue: () => void child.kill('SIGCONT'),
    terminate: () => end('SIGTERM'),
    isAlive,
    ended,
  };
}
