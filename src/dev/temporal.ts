/** Temporal's development server: one process with a SQLite file in the data folder. */

import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { type ManagedProcess, startProcess } from '../util/managed-process';
import { findMissingSearchAttributes, SEARCH_ATTRIBUTES } from './search-attributes';
import type { TemporalCli } from './temporal-cli';
import { waitForProcess } from './wait-for-process';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const PROBE_TIMEOUT_MS = 1_000;
const NAMESPACE = 'default';

/** As shipped, the server polls 20 times a second and rounds timers up to 1 s: about 50 ms a step and 1 s a short timer for nothing. */
const FAST_SERVER_FLAGS = [
  ['--dynamic-config-value', 'history.transferProcessorMaxPollRPS=2000'],
  ['--dynamic-config-value', 'history.timerProcessorMaxPollRPS=2000'],
  ['--dynamic-config-value', 'history.timerProcessorMaxTimeShift="10ms"'],
].flat();

/** One write-ahead log instead of a synced file at each step. */
const FAST_FILE_FLAGS = ['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'];

export interface TemporalServerOptions {
  readonly cli: TemporalCli;
  readonly dataFolder: string;
  readonly port: number;
  /** Without one the server has no web interface. */
  readonly uiPort?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of the process as soon as it runs, before it is ready. */
  readonly onProcess: (process: ManagedProcess) => Promise<void>;
}

export interface TemporalServer {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | undefined;
}

/**
 * Resolves when the namespace and the search attributes are there. The process given to `onProcess` is the caller's to stop.
 * @throws DevStackError with the end of the server's log
 */
export async function startTemporal(options: TemporalServerOptions): Promise<TemporalServer> {
  const { cli, dataFolder, port, uiPort, signal } = options;
  const server = await startProcess({
    command: cli.command,
    args: [...cli.leadingArguments, ...toServerArguments(options)],
    logFile: join(dataFolder, 'temporal.log'),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  await options.onProcess(server);
  const address = `127.0.0.1:${port}`;
  const isReady = (): Promise<boolean> => isServerComplete(address);
  await waitForProcess({ process: server, title: "Temporal's server", isReady, timeoutMs: START_TIMEOUT_MS, signal });
  return { address, namespace: NAMESPACE, uiUrl: uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}` };
}

function toServerArguments({ dataFolder, port, uiPort }: TemporalServerOptions): readonly string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort)]),
    ...['--db-filename', join(dataFolder, 'temporal.db'), ...FAST_FILE_FLAGS],
    ...SEARCH_ATTRIBUTES.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...FAST_SERVER_FLAGS,
  ];
}

/** The namespace and the search attributes come a moment after the port. */
async function isServerComplete(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: PROBE_TIMEOUT_MS });
  try {
    await connection.workflowService.getSystemInfo({});
    await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
    return (await findMissingSearchAttributes(connection, NAMESPACE)).length === 0;
  } finally {
    await connection.close();
  }
}
