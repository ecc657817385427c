/** Runs the real workflow bundle against scripted activities, on the tests' Temporal server. */

import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../src/activities/create-activities';
import type { OpenedLoop, PlannedStep, StepOptions } from '../../src/domain/planned-step';
import { toId } from '../../src/domain/ids';
import type { agentLoop } from '../../src/workflows';

export type ScriptedActivities = { [Name in keyof Activities]?: (input: never) => Promise<unknown> };

export interface WorkflowHarness {
  readonly client: Client;
  readonly taskQueue: string;
  readonly start: (workflowId?: string) => Promise<WorkflowHandleWithFirstExecutionRunId<typeof agentLoop>>;
  readonly close: () => Promise<void>;
}

export const temporalAddress = (): string => {
  const address = process.env.TEMPORAL_ADDRESS;
  if (address === undefined) throw new Error('TEMPORAL_ADDRESS is not set: the global set-up of the tests did not run');
  return address;
};

/** The bundle that the global set-up made, or the sources. */
export const workflowSource = (): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> =>
  process.env.SOLIDLOOP_TEST_BUNDLE === undefined
    ? { workflowsPath: require.resolve('../../src/workflows') }
    : { workflowBundle: { codePath: process.env.SOLIDLOOP_TEST_BUNDLE } };

let isRuntimeInstalled = false;
export function quietRuntime(): void {
  if (isRuntimeInstalled) return;
  isRuntimeInstalled = true;
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
}

export async function createWorkflowHarness(activities: ScriptedActivities): Promise<WorkflowHarness> {
  quietRuntime();
  const address = temporalAddress();
  const taskQueue = `test-${randomUUID()}`;
  const [native, connection] = await Promise.all([NativeConnection.connect({ address }), Connection.connect({ address })]);
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    activities,
    maxHeartbeatThrottleInterval: '200ms',
    ...workflowSource(),
  });
  const running = worker.run();
  const client = new Client({ connection });
  return {
    client,
    taskQueue,
    start: (workflowId = `loop-${randomUUID()}`) =>
      client.workflow.start<typeof agentLoop>('agentLoop', { workflowId, taskQueue, args: [{ agent: 'scripted', message: 'hello' }] }),
    close: async () => {
      worker.shutdown();
      await running;
      await Promise.all([native.close(), connection.close()]);
    },
  };
}

const options = (summary: string): StepOptions => ({ startToCloseSeconds: 60, heartbeatSeconds: 10, summary });
export const turnStep = (turnNumber: number, generation: number, isWantedAnew = false): PlannedStep => ({
  kind: 'turn',
  turnNumber,
  generation: toId(generation),
  options: options(`turn ${turnNumber}`),
  isWantedAnew,
});
export const toolsStep = (generation: number, ids: readonly string[], parallel = 16): PlannedStep => ({
  kind: 'tools',
  turnNumber: 2,
  generation: toId(generation),
  parallel,
  calls: ids.map((id) => ({ id: toId(id), name: `tool_${id}`, options: options(`tool_${id}`) })),
});
export const waitStep = (generation = 5): PlannedStep => ({ kind: 'wait', reason: 'paused', generation: toId(generation) });
export const doneStep = (status: 'completed' | 'failed' | 'cancelled', code?: string): PlannedStep => ({
  kind: 'done',
  status,
  generation: toId(9),
  ...(code === undefined ? {} : { code }),
});
export const opened = (next: PlannedStep): OpenedLoop => ({
  loopId: toId('17'),
  agent: 'scripted',
  upsertSearchAttributes: false,
  continueAsNewEvents: 2000,
  next,
});
