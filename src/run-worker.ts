/** A worker process from its environment and config: says what is missing, runs until a signal, hands over what is in flight. */

import { Runtime } from '@temporalio/worker';
import type { SolidLoopConfig } from './agents/define-config';
import { type App, createApp } from './app';
import { DEFAULT_TASK_QUEUE, type EnvironmentSettings } from './config/environment';
import { readLoopGauges } from './db/loops/read-loop-gauges';
import { SolidLoopError } from './domain/errors';
import { createLogger, toTemporalLogger } from './events/log';
import { registerLoopGauges } from './metrics/loop-gauges';
import { assertSafe, startMetricsServer } from './metrics/metrics-server';
import { PrometheusMetrics } from './metrics/prometheus-metrics';
import { findFreePort } from './util/free-port';

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
  const { metrics: address } = environment;
  if (address !== undefined) assertSafe(address.host, address.token);
  const temporalMetrics = address === undefined ? undefined : `127.0.0.1:${await findFreePort()}`;
  Runtime.install({
    logger: toTemporalLogger(logger),
    telemetryOptions: { logging: { forward: {}, filter: 'WARN' }, ...temporalMetricsAt(temporalMetrics) },
  });
  const metrics = address === undefined ? undefined : new PrometheusMetrics();
  const app = await createApp({
    databaseUrl: required(environment.databaseUrl ?? config.database?.url, 'DATABASE_URL', 'postgresql://user:password@host:5432/database'),
    temporalAddress: required(environment.temporalAddress ?? config.temporal?.address, 'TEMPORAL_ADDRESS', 'host:7233'),
    namespace: environment.temporalNamespace,
    taskQueue: environment.taskQueue === DEFAULT_TASK_QUEUE ? (config.temporal?.taskQueue ?? DEFAULT_TASK_QUEUE) : environment.taskQueue,
    config,
    settings: environment.engine,
    poolSize: environment.poolSize,
    listen: environment.listen,
    maxConcurrentSteps: environment.maxConcurrentSteps,
    ...(metrics === undefined ? {} : { metrics }),
    ...(environment.deployment === undefined ? {} : { deployment: environment.deployment }),
    logger,
  });
  if (address === undefined || metrics === undefined) return app;
  return withMetricsServer(app, metrics, { address, ...(temporalMetrics === undefined ? {} : { temporalMetrics }) });
}

interface ServedAt {
  readonly address: NonNullable<EnvironmentSettings['metrics']>;
  readonly temporalMetrics?: string;
}

/** Served from before the worker takes work until it has handed over. */
async function withMetricsServer(app: App, { registry }: PrometheusMetrics, { address, temporalMetrics }: ServedAt): Promise<App> {
  registerLoopGauges(registry, () => readLoopGauges(app.db));
  const sources = { registry, ...(temporalMetrics === undefined ? {} : { temporalAddress: temporalMetrics }) };
  const server = await startMetricsServer(sources, address).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  return {
    ...app,
    run: () => app.run().finally(() => server.close()),
    close: async () => {
      await server.close();
      await app.close();
    },
  };
}

const temporalMetricsAt = (bindAddress: string | undefined) =>
  bindAddress === undefined ? {} : { metrics: { prometheus: { bindAddress, countersTotalSuffix: true, useSecondsForDurations: true } } };

function required(value: string | undefined, variable: string, example: string): string {
  if (value !== undefined) return value;
  throw new SolidLoopError(
    'ConfigError',
    `${variable} is not set; a worker needs it, for instance ${variable}=${example} (\`npm start\` brings an embedded stack instead)`,
    { field: variable },
  );
}
