/** Before a rollout: running loops are replayed with the new code, and agents compared with those that they started with. */

import { Client, Connection } from '@temporalio/client';
import { defineAgent } from '../../src/agents/define-agent';
import { preflight, type PreflightReport } from '../../src/preflight';
import { startTestApp, type TestApp } from '../support/app';
import { waitUntil } from '../support/wait-until';
import { temporalAddress, workflowSource } from '../support/workflows';

let app: TestApp;
let temporal: Client;
beforeAll(async () => {
  temporal = new Client({ connection: await Connection.connect({ address: temporalAddress() }) });
  app = await startTestApp({ agents: (model) => [defineAgent({ name: 'sleeper', model, instructions: 'Sleep.' })] });
});
afterAll(async () => {
  await app.close();
  await temporal.connection.close();
});

const check = (changes: Partial<Parameters<typeof preflight>[0]> = {}): Promise<PreflightReport> =>
  preflight({
    client: temporal,
    db: app.database.db,
    agents: app.config.agents,
    taskQueue: app.taskQueue,
    workflows: workflowSource(),
    ...changes,
  });

it('R28: replays what runs, and tells which loops started with another definition of their agent', async () => {
  const { loopId, workflowId } = await app.client.start({ agent: 'sleeper', message: 'hello' });
  await app.client.control(loopId, { verb: 'pause' });
  await waitUntil(
    'the workflow to wait',
    async () => (await temporal.workflow.getHandle(workflowId).query<{ status: string }>('status')).status === 'paused',
  );
  const [agent] = app.config.agents;
  expect((await app.client.get(loopId)).definitionHash).toBe(agent?.definitionHash);

  await waitUntil('the workflow to be listed', async () => (await check()).replayed === 1);
  expect(await check()).toEqual({ replayed: 1, failures: [], differences: [] });

  const changed = defineAgent({ name: 'sleeper', model: app.modelSettings, instructions: 'Wake up.' });
  const startedWith = agent?.definitionHash;
  expect((await check({ agents: [changed] })).differences).toEqual([
    { agentName: 'sleeper', loops: 1, startedWith, now: changed.definitionHash },
  ]);
  expect((await check({ agents: [] })).differences).toEqual([{ agentName: 'sleeper', loops: 1, startedWith, now: null }]);

  const { failures } = await check({ workflows: { workflowsPath: require.resolve('../support/other-workflow') } });
  expect(failures).toEqual([expect.objectContaining({ workflowId, error: expect.stringMatching(/nondeterminism|TMPRL1100/i) as unknown })]);
  await app.client.control(loopId, { verb: 'stop' });
});
