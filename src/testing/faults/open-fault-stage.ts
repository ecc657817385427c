/** Where loops are put to the test: a client, two proxies, and worker processes that wait at each fault point. */

import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { SolidLoopClient } from '../../client/solid-loop-client';
import type { JsonObject, LoopStatus } from '../../domain/loop';
import { isTerminal } from '../../domain/loop';
import type { EngineSettings } from '../../domain/settings';
import { FaultDirector } from './fault-director';
import { type CommitFault, type PostgresProxy, startPostgresProxy } from './postgres-proxy';
import { startWorkerProcess, type WorkerProcess } from './start-worker-process';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';
import type { WorkerPlan } from './worker-messages';

const POLL_MS = 50;
const END_LIMIT_MS = 180_000;
const TEMPORAL_PORT = 7233;

/** A dead worker is noticed after 3 s, and nothing waits for minutes. */
export const FAULT_SETTINGS: Partial<EngineSettings> = {
  heartbeatTimeout: 3,
  leaseMargin: 2,
  defaultReadTimeout: 10,
  defaultToolTimeout: 10,
  unsafeHolderPatience: 2,
  firstTokenTimeout: 5,
  progressTimeout: 5,
  providerBackoff: 1,
  providerBackoffMaximum: 2,
  providerFailuresPerTurn: 100,
  lostAttemptsPerStep: 1000,
  poolTimeout: 2,
  shutdownGrace: 2,
};

export interface FaultStageOptions {
  /** Absolute path of a module that exports `config`: a config, or a function that makes one of `configArguments`. */
  readonly configModule: string;
  readonly configArguments?: JsonObject;
  /** A migrated database. */
  readonly databaseUrl: string;
  /** host:port */
  readonly temporalAddress: string;
  /** @default 'default' */
  readonly namespace?: string;
  /** Over `FAULT_SETTINGS`. */
  readonly settings?: Partial<EngineSettings>;
  /** Asked at each COMMIT of a worker with the statements of its transaction. @default all go through */
  readonly onCommit?: (statements: string) => CommitFault | undefined;
  /** @default bundled by each worker process itself */
  readonly workflowBundle?: string;
  /** Of the workers, on standard output. @default 'silent' */
  readonly logLevel?: NonNullable<WorkerPlan['logLevel']>;
}

/** What one worker does otherwise than the others. */
export type WorkerOfItsOwn = Partial<Pick<WorkerPlan, 'settings' | 'listen' | 'maxCachedWorkflows'>>;

export interface FaultStage {
  /** Reaches Postgres and Temporal by itself, past the proxies. */
  readonly client: SolidLoopClient;
  readonly director: FaultDirector;
  /** Between the workers and Postgres. */
  readonly postgres: PostgresProxy;
  /** Between the workers and Temporal. */
  readonly temporal: TcpProxy;
  readonly taskQueue: string;
  readonly databaseUrl: string;
  /** With settings of its own over the stage's. */
  readonly startWorker: (own?: WorkerOfItsOwn) => Promise<WorkerProcess>;
  /** Resolves when each loop has one of these statuses. @default any terminal one @throws Error that names those that have not */
  readonly waitForEnd: (loopIds: readonly string[], options?: EndOptions) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface EndOptions {
  readonly isEnd?: (status: LoopStatus) => boolean;
  /** Milliseconds. @default 180 s */
  readonly timeoutMs?: number;
}

export async function openFaultStage(options: FaultStageOptions): Promise<FaultStage> {
  const { databaseUrl, temporalAddress, namespace = 'default', onCommit, settings, ...plan } = options;
  const taskQueue = `faults-${randomUUID()}`;
  const director = new FaultDirector();
  const postgres = await startPostgresProxy({ databaseUrl, ...(onCommit === undefined ? {} : { onCommit }) });
  const [host = '', port] = temporalAddress.split(':');
  const temporal = await startTcpProxy({ target: { host, port: Number(port ?? TEMPORAL_PORT) } });
  const client = await SolidLoopClient.connect({ databaseUrl, temporalAddress, namespace, taskQueue });
  const workers: WorkerProcess[] = [];
  return {
    client,
    director,
    postgres,
    temporal,
    taskQueue,
    databaseUrl,
    startWorker: async ({ settings: ownSettings, ...own } = {}) => {
      const worker = await startWorkerProcess({
        ...plan,
        ...own,
        databaseUrl: postgres.url,
        temporalAddress: `${temporal.host}:${temporal.port}`,
        namespace,
        taskQueue,
        settings: { ...FAULT_SETTINGS, ...settings, ...ownSettings },
        onArrival: director.onArrival,
      });
      workers.push(worker);
      return worker;
    },
    waitForEnd: (loopIds, endOptions) => waitForEnd(client, loopIds, endOptions),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.kill()));
      await Promise.all([client.close(), postgres.close(), temporal.close()]);
    },
  };
}

async function waitForEnd(client: SolidLoopClient, loopIds: readonly string[], options: EndOptions = {}): Promise<void> {
  const { isEnd = isTerminal, timeoutMs = END_LIMIT_MS } = options;
  const deadline = Date.now() + timeoutMs;
  let waiting = [...loopIds];
  for (;;) {
    const loops = await Promise.all(waiting.map((loopId) => client.get(loopId)));
    const open = loops.filter(({ status }) => !isEnd(status));
    if (open.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(
        await describeOpen(
          client,
          timeoutMs,
          open.map(({ id }) => id),
        ),
      );
    waiting = open.map(({ id }) => id);
    await delay(POLL_MS);
  }
}

const DESCRIBED_LOOPS = 5;

async function describeOpen(client: SolidLoopClient, timeoutMs: number, loopIds: readonly string[]): Promise<string> {
  const reasons = await Promise.all(
    loopIds.slice(0, DESCRIBED_LOOPS).map(async (loopId) => `loop ${loopId}: ${JSON.stringify(await client.why(loopId))}`),
  );
  return `${loopIds.length} loops did not reach their end within ${timeoutMs} ms: ${reasons.join('\n')}`;
}
