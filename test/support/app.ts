/** A whole installation for one test file: own database, own task queue, scripted model, a worker in this process, a client. */

import { randomUUID } from 'node:crypto';
import type { Agent, ModelSettings } from '../../src/agents/agent';
import { defineConfig, type SolidLoopConfig } from '../../src/agents/define-config';
import { type App, createApp } from '../../src/app';
import { SolidLoopClient } from '../../src/client/solid-loop-client';
import type { EngineSettings } from '../../src/domain/settings';
import { type EngineMetrics, NO_METRICS } from '../../src/metrics/engine-metrics';
import { type ScriptedModel, startScriptedModel } from '../../src/testing/scripted-model';
import { silentLogger } from '../../src/util/logger';
import { createTestDatabase, type TestDatabase } from './database';
import { quietRuntime, temporalAddress, workflowSource } from './workflows';

export interface TestApp {
  readonly client: SolidLoopClient;
  readonly model: ScriptedModel;
  readonly modelSettings: ModelSettings;
  readonly database: TestDatabase;
  readonly taskQueue: string;
  readonly config: SolidLoopConfig;
  /** Stops the worker; a later `startWorker` is another process's place. */
  readonly stopWorker: () => Promise<void>;
  readonly startWorker: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface TestAppOptions {
  readonly agents: (model: ModelSettings) => readonly Agent[];
  readonly settings?: Partial<EngineSettings>;
  /** What else the config holds. */
  readonly config?: Omit<SolidLoopConfig, 'agents' | 'settings'>;
  readonly metrics?: EngineMetrics;
  /** @default true */
  readonly withWorker?: boolean;
}

export async function startTestApp({
  agents,
  settings,
  config: rest = {},
  metrics = NO_METRICS,
  withWorker = true,
}: TestAppOptions): Promise<TestApp> {
  quietRuntime();
  const [database, model] = await Promise.all([createTestDatabase(), startScriptedModel()]);
  const modelSettings: ModelSettings = {
    name: 'scripted-model',
    baseURL: model.baseURL,
    apiKey: 'sk-test-secret',
    price: { inputPerMillion: '1', outputPerMillion: '2' },
  };
  const config = defineConfig({ ...rest, agents: agents(modelSettings), ...(settings === undefined ? {} : { settings }) });
  const taskQueue = `test-${randomUUID()}`;
  const client = await SolidLoopClient.connect({ databaseUrl: database.url, temporalAddress: temporalAddress(), taskQueue });
  let running: { readonly app: App; readonly ended: Promise<void> } | undefined;

  const startWorker = async (): Promise<void> => {
    const app = await createApp({
      databaseUrl: database.url,
      temporalAddress: temporalAddress(),
      namespace: 'default',
      taskQueue,
      config,
      logger: silentLogger,
      makeSchedule: false,
      metrics,
      workflows: workflowSource(),
    });
    running = { app, ended: app.run() };
  };
  const stopWorker = async (): Promise<void> => {
    running?.app.worker.shutdown();
    await running?.ended;
    running = undefined;
  };
  if (withWorker) await startWorker();
  return {
    client,
    model,
    modelSettings,
    database,
    taskQueue,
    config,
    startWorker,
    stopWorker,
    close: async () => {
      await stopWorker();
      await client.close();
      await model.stop();
      await database.drop();
    },
  };
}
