/** The development stack with a worker in this process: opened in order, closed in reverse, whatever happens. */

import { Runtime } from '@temporalio/worker';
import type { SolidLoopConfig } from '../agents/define-config';
import { type App, createApp } from '../app';
import { readDevEnvironment } from '../config/dev-environment';
import type { EnvironmentSettings } from '../config/environment';
import { createDatabase } from '../db/database';
import { migrateToLatest } from '../db/migrate';
import { type DevStack, startStack } from '../dev/stack';
import { createLogger, toTemporalLogger } from '../events/log';
import { toOffered } from './connection';
import type { CliContext } from './context';
import { formatLogLine } from './render/format-log-line';

export interface DevSession {
  readonly stack: DevStack;
  readonly config: SolidLoopConfig;
  /** Beside a stack that another process runs with its worker, there is none here. */
  readonly isJoined: boolean;
  /** Settles when the worker has ended; rejects where it failed. Never settles without one. */
  readonly ended: Promise<void>;
}

export interface DevSessionOptions {
  readonly environment: EnvironmentSettings;
  readonly signal: AbortSignal;
}

/** A person at a terminal does not wait for the turn in flight: it comes again with the next start. Seconds. */
const SHUTDOWN_GRACE = 1;

/** Lends the session to `use`. @throws DevStackError, ConfigError, SchemaMismatch: nothing is left running then */
export async function withDevSession<Result>(
  context: CliContext,
  { environment, signal }: DevSessionOptions,
  use: (session: DevSession) => Promise<Result>,
): Promise<Result> {
  const { terminal } = context;
  const { databaseUrl, temporalAddress, temporalNamespace, dataFolder } = environment;
  const stack = await startStack({
    dataFolder,
    environment: { ...readDevEnvironment(), databaseUrl, temporalAddress, temporalNamespace },
    print: (line) => terminal.writeError(terminal.paintError.dim(line)),
    withModel: true,
    signal,
  });
  try {
    const isJoined = !stack.owned && (databaseUrl === undefined || temporalAddress === undefined);
    const config = context.loadConfig(environment.configFolder, stack.model && toOffered(stack.model));
    if (isJoined) return await use({ stack, config, isJoined, ended: new Promise(() => undefined) });
    return await withWorker(context, { stack, config, environment, signal }, (ended) => use({ stack, config, isJoined, ended }));
  } finally {
    await stack.stop();
  }
}

interface WorkerOptions extends DevSessionOptions {
  readonly stack: DevStack;
  readonly config: SolidLoopConfig;
}

async function withWorker<Result>(
  context: CliContext,
  options: WorkerOptions,
  use: (ended: Promise<void>) => Promise<Result>,
): Promise<Result> {
  await migrate(options.stack.databaseUrl);
  const app = await createDevApp(context, options);
  const ended = app.run();
  const shutDown = () => {
    if (app.worker.getState() === 'RUNNING') app.worker.shutdown();
  };
  options.signal.addEventListener('abort', shutDown);
  if (options.signal.aborted) shutDown();
  try {
    return await use(ended);
  } finally {
    options.signal.removeEventListener('abort', shutDown);
    shutDown();
    await ended;
  }
}

async function migrate(connectionString: string): Promise<void> {
  const db = createDatabase({ connectionString, poolSize: 1, applicationName: 'solidloop-migrate', onIdleError: () => undefined });
  await migrateToLatest(db).finally(() => db.destroy());
}

async function createDevApp({ terminal }: CliContext, { stack, config, environment }: WorkerOptions): Promise<App> {
  const level = environment.logLevel === 'info' ? 'warn' : environment.logLevel;
  const logger = createLogger({ level, destination: { write: (line) => terminal.writeError(formatLogLine(line, terminal.paintError)) } });
  Runtime.install({
    logger: toTemporalLogger(logger),
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
  return createApp({
    databaseUrl: stack.databaseUrl,
    temporalAddress: stack.temporalAddress,
    namespace: stack.temporalNamespace,
    taskQueue: environment.taskQueue,
    config,
    settings: { ...environment.engine, shutdownGrace: SHUTDOWN_GRACE },
    poolSize: environment.poolSize,
    listen: environment.listen,
    maxConcurrentSteps: environment.maxConcurrentSteps,
    logger,
  });
}
