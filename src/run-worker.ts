/** A worker process from its environment and config: says what is missing, runs until a signal, hands over what is in flight. */

import { Runtime } from '@temporalio/worker';
import type { SolidLoopConfig } from './agents/define-config';
import { type App, createApp } from './app';
import { DEFAULT_TASK_QUEUE, type EnvironmentSettings } from './config/environment';
import { SolidLoopError } from './domain/errors';
import { createLogger, toTemporalLogger } from './events/log';

/**
 * SIGTERM and SIGINT end it: polling stops, turns in flight run on for the grace period, then hand over (R46).
 * @throws ConfigError, DatabaseUnavailable, TemporalUnavailable, SchemaMismatch
 */
export async function runWorker(environment: EnvironmentSettings, config: SolidLoopConfig): Promise<void> {
  const app = await createWorkerApp(environment, config);
  await app.run();
}

export async function createWorkerApp(environment: EnvironmentSettings, config: SolidLoopConfig): Promise<App> {
  const logger = createLogger({ level: environment.logLevel });
  Runtime.install({ logger: toTemporalLogger(logger), telemetryOptions: { logging: { forward: {}, filter: 'WARN' } } });
  return createApp({
    databaseUrl: required(environment.databaseUrl ?? config.database?.url, 'DATABASE_URL', 'postgresql://user:password@host:5432/database'),
    temporalAddress: required(environment.temporalAddress ?? config.temporal?.address, 'TEMPORAL_ADDRESS', 'host:7233'),
    namespace: environment.temporalNamespace,
    taskQueue: environment.taskQueue === DEFAULT_TASK_QUEUE ? (config.temporal?.taskQueue ?? DEFAULT_TASK_QUEUE) : environment.taskQueue,
    config,
    settings: environment.engine,
    poolSize: environment.poolSize,
    listen: environment.listen,
    maxConcurrentSteps: environment.maxConcurrentSteps,
    logger,
  });
}

function required(value: string | undefined, variable: string, example: string): string {
  if (value !== undefined) return value;
  throw new SolidLoopError('ConfigError', `${variable} is not set; a worker needs it, for instance ${variable}=${example} (\`npm start\` brings an embedded stack instead)`, { field: variable });
}
