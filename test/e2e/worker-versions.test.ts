/** Worker deployments, tried: a loop stays with the version it runs on, and goes over to the newest by continuing as new. */

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { defineAgent } from '../../src/agents/define-agent';
import { defineConfig } from '../../src/agents/define-config';
import { type App, createApp } from '../../src/app';
import { silentLogger } from '../../src/util/logger';
import { textAnswer } from '../../src/testing/scripted-answers';
import { wakeSignal } from '../../src/workflows/controls';
import { startTestApp, type TestApp } from '../support/app';
import { waitUntil } from '../support/wait-until';
import { temporalAddress, workflowSource } from '../support/workflows';

const DEPLOYMENT = `test-${randomUUID()}`;

let app: TestApp;
let temporal: Client;
const running: { readonly app: App; readonly ended: Promise<void> }[] = [];

beforeAll(async () => {
  temporal = new Client({ connection: await Connection.connect({ address: temporalAddress() }) });
  app = await startTestApp({ withWorker: false, agents: (model) => [defineAgent({ name: 'sleeper', model })] });
});
afterAll(async () => {
  for (const worker of running) worker.app.worker.shutdown();
  await Promise.all(running.map(({ ended }) => ended));
  await app.close();
  await temporal.connection.close();
});

async function startVersion(buildId: string): Promise<void> {
  const version = await createApp({
    databaseUrl: app.database.url,
    temporalAddress: temporalAddress(),
    namespace: 'default',
    taskQueue: app.taskQueue,
    config: defineConfig({ agents: app.config.agents }),
    logger: silentLogger,
    makeSchedule: false,
    deployment: { name: DEPLOYMENT, buildId },
    workflows: workflowSource(),
  });
  running.push({ app: version, ended: version.run() });
  await waitUntil(`version ${buildId} to be the current one`, () => makeCurrent(buildId), 120_000);
}

const makeCurrent = (buildId: string): Promise<boolean> =>
  promisify(execFile)(process.env.TEMPORAL_CLI ?? 'temporal', [
    ...['worker', 'deployment', 'set-current-version', '--address', temporalAddress()],
    ...['--deployment-name', DEPLOYMENT, '--build-id', buildId, '--yes'],
  ]).then(
    () => true,
    () => false,
  );

/** The versions that ran the workflow tasks of a loop, over all its runs. */
async function versionsOf(workflowId: string): Promise<readonly string[]> {
  const builds: string[] = [];
  for await (const { runId } of temporal.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    const { events } = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const event of events ?? []) {
      const buildId = event.workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId;
      if (typeof buildId === 'string' && buildId !== '') builds.push(buildId);
    }
  }
  return [...new Set(builds)];
}

jest.setTimeout(300_000);

it('R67: a paused loop goes over to the newest version when it is woken, and ends there', async () => {
  await startVersion('v1');
  await app.model.push(textAnswer('Here I am.'));
  const { loopId, workflowId } = await app.client.start({ agent: 'sleeper', message: 'hello' });
  await app.client.control(loopId, { verb: 'pause' });
  const handle = temporal.workflow.getHandle(workflowId);
  await waitUntil('the workflow to wait on v1', async () => (await handle.query<{ status: string }>('status')).status === 'paused');

  await startVersion('v2');
  // A sleeping loop learns of a new version when it is woken, once the server has told its task queues.
  await waitUntil('the loop to go over to v2', async () => {
    await temporal.workflow.getHandle(workflowId).signal(wakeSignal);
    return (await versionsOf(workflowId)).includes('v2');
  });
  await waitUntil(
    'it to wait there',
    async () => (await temporal.workflow.getHandle(workflowId).query<{ status: string }>('status')).status === 'paused',
  );
  await app.client.control(loopId, { verb: 'resume' });
  await expect(app.client.result(loopId)).resolves.toMatchObject({ status: 'completed', answer: 'Here I am.' });
  await waitUntil(
    'the workflow to end',
    async () => (await temporal.workflow.getHandle(workflowId).describe()).status.name === 'COMPLETED',
  );
  expect((await versionsOf(workflowId)).toSorted()).toEqual(['v1', 'v2']);
});
