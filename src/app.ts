/** The one composition of a worker process: opens what lives, gives each part what it needs, closes in reverse. */

import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from './activities/create-activities';
import type { ActivityDependencies } from './activities/dependencies';
import { EventLoopWatch } from './activities/event-loop-watch';
import type { SolidLoopConfig } from './agents/define-config';
import { AgentRegistry } from './agents/registry';
import { ensureReconcileSchedule } from './client/reconcile-schedule';
import { createTemporalDriver } from './client/temporal-driver';
import { createDatabase, type Database } from './db/database';
import { FenceListener } from './db/leases/fence-listener';
import { LeaseRenewer } from './db/leases/lease-renewer';
import { LivePartWriter } from './db/live/live-parts';
import { createRateGovernor } from './db/turns/rate-governor';
import { findToolResult } from './db/tool-calls/read-tool-result';
import { LoopLauncher } from './db/loops/launch-loops';
import { CHANNELS } from './db/postgres/notify';
import { messageOf } from './domain/errors';
import { toId } from './domain/ids';
import { DEFAULT_SETTINGS, type EngineSettings } from './domain/settings';
import { WireLog } from './events/wire-recorder';
import { createRedactor } from './events/redact';
import { EndpointClients } from './llm/network/endpoint-clients';
import { SchemaChecks } from './llm/parsing/schema-checks';
import { createProviderMemory } from './llm/provider-memory';
import { type EngineMetrics, NO_METRICS } from './metrics/engine-metrics';
import { stepInterceptor } from './metrics/step-interceptor';
import { withReadMore } from './tools/read-more';
import { systemClock } from './util/clock';
import { createClosingList } from './util/closing-list';
import type { Logger } from './util/logger';
import { assertReady } from './assert-ready';
import { workflowSource } from './workflow-source';

export interface AppOptions {
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly config: SolidLoopConfig;
  /** Over the config's own. */
  readonly settings?: Partial<EngineSettings>;
  /** @default 20 */
  readonly poolSize?: number;
  /** False behind a pooler that cannot LISTEN. @default true */
  readonly listen?: boolean;
  /** @default counts nothing */
  readonly metrics?: EngineMetrics;
  /** Temporal's worker deployment that this build is a version of: loops are pinned to it until they continue as new. @default not versioned */
  readonly deployment?: { readonly name: string; readonly buildId: string };
  /** Make the schedule that runs the reconciler, if it is missing (R70). @default true */
  readonly makeSchedule?: boolean;
  /** Turns and tool calls at a time. @default 200 */
  readonly maxConcurrentSteps?: number;
  readonly logger: Logger;
  /** A bundle made before, or the sources. @default what the build made, or the sources */
  readonly workflows?: Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'maxCachedWorkflows'>;
}

export interface App {
  readonly db: Database;
  readonly worker: Worker;
  /** Runs until the worker is shut down, then closes everything. */
  readonly run: () => Promise<void>;
  /** For an app whose worker never ran. */
  readonly close: () => Promise<void>;
}

/**
 * @throws TemporalUnavailable, DatabaseUnavailable, SchemaMismatch, ConfigError: what is missing and what to do
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { add, close } = createClosingList();
  const opened: Opened = (value, closeIt) => {
    add(async () => void (await closeIt(value)));
    return value;
  };
  try {
    const { db, worker, launcher } = await compose(options, opened);
    const run = async (): Promise<void> => {
      launcher.start();
      await worker.run().finally(close);
    };
    return { db, worker, run, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Opened = <Value>(value: Value, close: (value: Value) => Promise<unknown>) => Value;

async function compose(
  options: AppOptions,
  opened: Opened,
): Promise<{ readonly db: Database; readonly worker: Worker; readonly launcher: LoopLauncher }> {
  const { databaseUrl: connectionString, logger, config, taskQueue, namespace, temporalAddress: address } = options;
  const settings: EngineSettings = { ...DEFAULT_SETTINGS, ...config.settings, ...options.settings };
  const clock = systemClock;
  const poolSize = options.poolSize ?? DEFAULT_POOL_SIZE;
  const maxConcurrentSteps = options.maxConcurrentSteps ?? DEFAULT_CONCURRENT_STEPS;
  const metrics = options.metrics ?? NO_METRICS;

  const db = opened(
    createDatabase({
      connectionString,
      poolSize,
      poolTimeoutSeconds: settings.poolTimeout,
      preparesStatements: options.listen !== false,
      applicationName: 'solidloop-worker',
      onIdleError: (error) => logger.warn({ error: error.message }, 'an idle connection was lost'),
    }),
    (database) => database.destroy(),
  );
  const connection = opened(await Connection.connect({ address }), (it) => it.close());
  const native = opened(await NativeConnection.connect({ address }), (it) => it.close());
  const client = new Client({ connection, namespace });
  const { hasSearchAttributes } = await assertReady({ db, client, poolSize, maxConcurrentSteps, logger });

  const listener =
    options.listen === false ? undefined : opened(new FenceListener({ connectionString, clock, logger }), (it) => it.close());
  await listener?.start();
  const withListener = listener === undefined ? {} : { listener };
  const renewer = opened(new LeaseRenewer({ connectionString, settings, clock, logger, ...withListener }), (it) => it.close());
  const liveParts = opened(new LivePartWriter({ db, clock, logger }), (it) => it.close());
  await liveParts.start();
  listener?.subscribe(CHANNELS.watch, (loopId) => liveParts.watch(toId(loopId)));
  listener?.onConnect(() => void liveParts.refresh());
  const redactor = createRedactor(config.agents.flatMap(({ model }) => (typeof model === 'function' ? [] : (model.apiKey ?? []))));
  const wireLog = new WireLog({ db, redactor, logger });
  const temporal = createTemporalDriver(client);
  const namespaceId = await temporal.namespaceId();

  const dependencies: ActivityDependencies = {
    db,
    agents: new AgentRegistry(config.agents.map((agent) => withReadMore(agent, { find: (of) => findToolResult(db, of) }))),
    config,
    settings,
    renewer,
    temporal,
    namespaceId,
    hasSearchAttributes,
    logger,
    metrics,
    eventLoop: opened(new EventLoopWatch({ db, clock, logger, metrics }), async (it) => it.close()),
    liveSink: (stream) => liveParts.sinkFor(stream),
    wire: (place) => wireLog.recorderFor(place),
    memory: createProviderMemory(),
    rates: createRateGovernor(db),
    redact: (text, secrets) => redactor.with(secrets).text(text),
    clients: opened(new EndpointClients(), (it) => it.close()),
    schemas: new SchemaChecks(),
  };
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue,
    activities: createActivities(dependencies),
    ...(options.workflows ?? workflowSource()),
    maxConcurrentActivityTaskExecutions: maxConcurrentSteps,
    interceptors: { activity: [stepInterceptor(metrics)] },
    ...(options.deployment === undefined ? {} : { workerDeploymentOptions: pinnedTo(options.deployment) }),
    maxHeartbeatThrottleInterval: MAX_HEARTBEAT_THROTTLE,
    stickyQueueScheduleToStartTimeout: STICKY_QUEUE_PATIENCE,
    shutdownGraceTime: settings.shutdownGrace * 1000,
    shutdownForceTime: settings.shutdownGrace * 1000 + SHUTDOWN_FORCE_AFTER_GRACE_MS,
  });
  if (options.makeSchedule !== false) await makeSchedule(client, taskQueue, logger);
  const launcher = opened(new LoopLauncher({ db, temporal, namespaceId, taskQueue, clock, logger, ...withListener }), (it) => it.close());
  return { db, worker, launcher };
}

/** A worker that may not make schedules still works; the reconciler then runs by hand, or on another's. */
async function makeSchedule(client: Client, taskQueue: string, logger: Logger): Promise<void> {
  try {
    if (await ensureReconcileSchedule(client, taskQueue)) logger.info({ taskQueue }, 'the schedule of the reconciler was made');
  } catch (error) {
    logger.warn(
      { taskQueue, error: messageOf(error) },
      'the schedule of the reconciler could not be made; `solidloop reconcile` does its work by hand',
    );
  }
}

/** Loops stay with the version that they run on until they continue as new. */
const pinnedTo = ({
  name: deploymentName,
  buildId,
}: NonNullable<AppOptions['deployment']>): NonNullable<WorkerOptions['workerDeploymentOptions']> => ({
  version: { deploymentName, buildId },
  useWorkerVersioning: true,
  defaultVersioningBehavior: 'PINNED',
});

const DEFAULT_POOL_SIZE = 20;
const DEFAULT_CONCURRENT_STEPS = 200;
/** Six beats in a heartbeat timeout of 30 s, and a cancel within 5 s. */
const MAX_HEARTBEAT_THROTTLE = '5s';
/** What is due for a workflow waits so long for the worker that has it cached, dead or alive (Temporal's own default is 10 s); then any worker replays it. */
const STICKY_QUEUE_PATIENCE = '3s';
const SHUTDOWN_FORCE_AFTER_GRACE_MS = 30_000;
