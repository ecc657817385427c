/**
 * How soon a loop goes on where one of two workers is killed with SIGKILL: from the kill to the commit of the step that it was in.
 * Ends with 1 where that took longer than the heartbeat timeout and 2 s, or where more was asked of the model than the one answer that was lost.
 * Run: DATABASE_URL=… TEMPORAL_ADDRESS=… npx tsx bench/recovery.ts [kills of each kind] [heartbeat timeout in seconds]
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { FaultPoint } from '../src/domain/fault-points';
import { DEFAULT_SETTINGS } from '../src/domain/settings';
import { type FaultStage, openFaultStage } from '../src/testing/faults/open-fault-stage';
import type { WorkerProcess } from '../src/testing/faults/start-worker-process';
import type { ScriptedResponse } from '../src/testing/script';
import { textAnswer, toolCallsAnswer } from '../src/testing/scripted-answers';
import { type ScriptedModel, startScriptedModel } from '../src/testing/scripted-model';
import { pidOfCache } from '../test/faults/support/workflow-cache';
import { createTestDatabase } from '../test/support/database';
import { waitUntil } from '../test/support/wait-until';
import { temporalAddress } from '../test/support/workflows';
import { STEP_MS } from './recovery-config';

const KILLS = Number(process.argv[2] ?? 5);
const HEARTBEAT_SECONDS = Number(process.argv[3] ?? 5);
const LIMIT_SECONDS = HEARTBEAT_SECONDS + 2;
const PATIENCE_MS = (HEARTBEAT_SECONDS + 60) * 1000;

interface Scene {
  readonly stage: FaultStage;
  readonly model: ScriptedModel;
  readonly temporal: Client;
  readonly workers: Map<number, WorkerProcess>;
}

/** A loop that is about to lose its worker. */
interface Victim {
  readonly loopId: string;
  readonly worker: WorkerProcess;
}

interface Kind {
  readonly name: string;
  readonly prepare: (scene: Scene) => Promise<Victim>;
  /** Done right after the kill. */
  readonly then?: (scene: Scene, victim: Victim) => Promise<unknown>;
  /** How many messages the transcript has when the step is committed. */
  readonly committed: number;
  /** Requests to the model that are sent again. */
  readonly repeated: number;
}

/** The whole transcript: a question, a call, its result, an answer. */
const MESSAGES = 4;
const TURNS = 2;

const KINDS: readonly Kind[] = [
  { name: 'a turn in flight', prepare: (scene) => inStep(scene, 'turn:after-load'), committed: 2, repeated: 1 },
  { name: 'a tool call in flight', prepare: (scene) => inStep(scene, 'call:before-body'), committed: 3, repeated: 0 },
  { name: 'a workflow at rest, woken after the kill', prepare: atRest, then: resume, committed: 3, repeated: 0 },
];

const slow = (response: ScriptedResponse): ScriptedResponse => ({
  ...response,
  times: 'always',
  steps: [{ kind: 'delay', milliseconds: STEP_MS }, ...response.steps],
});

const SCRIPT: readonly ScriptedResponse[] = [
  slow({ ...textAnswer('I saw it.'), match: { lastMessageContains: 'seen' } }),
  slow(toolCallsAnswer([{ id: 'c1', name: 'look', arguments: {} }])),
];

/** In the middle of the step that comes to the point; its worker has the workflow in its cache as well, since steps begin where their workflow is. */
async function inStep({ stage }: Scene, point: FaultPoint): Promise<Victim> {
  const { loopId, workflowId } = await stage.client.start({ agent: 'looker', message: 'look' });
  const hold = stage.director.hold({ point, workflowId });
  const [arrival] = await hold.reached;
  if (arrival === undefined) throw new Error(`loop ${loopId} did not come to ${point}`);
  hold.release();
  await delay(STEP_MS / 2);
  return { loopId, worker: arrival.worker };
}

/** The worker holds nothing but the workflow: what wakes it goes to the queue of the dead one first. */
async function atRest({ stage, temporal, workers }: Scene): Promise<Victim> {
  const { loopId, workflowId } = await stage.client.start({ agent: 'looker', message: 'look' });
  await waitUntil('the turn', async () => (await stage.client.get(loopId)).status === 'running');
  await stage.client.control(loopId, { verb: 'pause', when: 'afterStep' });
  await waitUntil('the pause', async () => (await stage.client.get(loopId)).status === 'paused');
  const worker = await waitUntil('the workflow to rest', async () => {
    const pid = await pidOfCache(temporal, workflowId);
    return pid === undefined ? undefined : workers.get(pid);
  });
  return { loopId, worker };
}

async function resume({ stage }: Scene, { loopId }: Victim): Promise<void> {
  await stage.client.control(loopId, { verb: 'resume' });
}

async function measure(scene: Scene, { prepare, then, committed }: Kind): Promise<{ readonly seconds: number; readonly repeated: number }> {
  const { stage, model, workers } = scene;
  const askedBefore = (await model.journal()).length;
  const victim = await prepare(scene);
  const start = performance.now();
  await victim.worker.kill();
  workers.delete(victim.worker.pid);
  await then?.(scene, victim);
  await hasMessages(stage, victim.loopId, committed);
  const seconds = (performance.now() - start) / 1000;
  await hasMessages(stage, victim.loopId, MESSAGES);
  await stage.waitForEnd([victim.loopId]);
  return { seconds, repeated: (await model.journal()).length - askedBefore - TURNS };
}

const hasMessages = (stage: FaultStage, loopId: string, count: number): Promise<unknown> =>
  waitUntil(
    `${count} messages of loop ${loopId}`,
    async () => (await stage.client.transcript(loopId)).filter(({ status }) => status === 'success').length >= count,
    PATIENCE_MS,
  );

async function startMissing({ stage, workers }: Scene): Promise<void> {
  while (workers.size < 2) {
    const worker = await stage.startWorker();
    workers.set(worker.pid, worker);
  }
}

async function measureAll(scene: Scene): Promise<void> {
  console.log(
    `heartbeat timeout ${HEARTBEAT_SECONDS} s, ${KILLS} kills of each kind, a step takes ${STEP_MS / 1000} s; seconds from the kill to the commit`,
  );
  for (const kind of KINDS) {
    const recoveries = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      await startMissing(scene);
      recoveries.push(await measure(scene, kind));
    }
    report(kind, recoveries);
  }
}

function report({ name, repeated }: Kind, recoveries: readonly { readonly seconds: number; readonly repeated: number }[]): void {
  const seconds = recoveries.map((recovery) => recovery.seconds).toSorted((a, b) => a - b);
  const [median = NaN, worst = NaN] = [seconds[Math.floor(seconds.length / 2)], seconds.at(-1)];
  const asked = recoveries.map((recovery) => recovery.repeated);
  console.log(
    `${name}: median ${median.toFixed(1)}, worst ${worst.toFixed(1)} (limit ${LIMIT_SECONDS}); requests to the model sent again: ${asked.join(', ')}`,
  );
  if (worst > LIMIT_SECONDS || asked.some((count) => count !== repeated)) process.exitCode = 1;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'solidloop-recovery-'));
  const workflowBundle = join(folder, 'workflows.js');
  writeFileSync(
    workflowBundle,
    (await bundleWorkflowCode({ workflowsPath: require.resolve('../src/workflows'), logger: new DefaultLogger('ERROR') })).code,
  );
  const [database, model, connection] = await Promise.all([
    createTestDatabase({ onIdleError: () => undefined }),
    startScriptedModel(),
    Connection.connect({ address: temporalAddress() }),
  ]);
  await model.push(...SCRIPT);
  const stage = await openFaultStage({
    configModule: require.resolve('./recovery-config'),
    configArguments: { modelUrl: model.baseURL },
    databaseUrl: database.url,
    temporalAddress: temporalAddress(),
    settings: { ...DEFAULT_SETTINGS, heartbeatTimeout: HEARTBEAT_SECONDS },
    workflowBundle,
  });
  try {
    await measureAll({ stage, model, temporal: new Client({ connection }), workers: new Map() });
  } finally {
    await stage.close();
    await Promise.all([model.stop(), connection.close()]);
    await database.drop();
    rmSync(folder, { recursive: true });
  }
}

void main();
