/** Loops that tools start: one for each start, however often the call is run; they live on their own. */

import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent';
import { defineTool } from '../../src/agents/define-tool';
import type { ChildLoop } from '../../src/agents/tool';
import { textAnswer, toolCallsAnswer } from '../../src/testing/scripted-answers';
import { startTestApp, type TestApp } from '../support/app';

const started: ChildLoop[] = [];

const delegate = defineTool({
  name: 'delegate',
  description: 'Gives work to others',
  input: z.object({ to: z.string(), tasks: z.array(z.string()) }),
  effect: 'idempotent',
  run: async ({ to, tasks }, { startLoop }) => {
    for (const message of tasks) started.push(await startLoop({ agent: to, message }));
    return `started ${tasks.length}`;
  },
});

const delegateTwice = defineTool({
  name: 'delegate_twice',
  description: 'Runs into its own start',
  effect: 'idempotent',
  run: async (_input, { startLoop }) => {
    for (let time = 0; time < 2; time += 1) started.push(await startLoop({ agent: 'worker', message: 'once', key: 'the-one' }));
    return 'ok';
  },
});

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    agents: (model) => [
      defineAgent({ name: 'boss', model, tools: [delegate, delegateTwice] }),
      defineAgent({ name: 'worker', model: { ...model, name: 'worker-model' } }),
    ],
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  started.splice(0);
  await app.model.clear();
});

it('R78: each start is a loop of its own with its parent’s id, which ends without it', async () => {
  await app.model.push(
    toolCallsAnswer([{ name: 'delegate', arguments: { to: 'worker', tasks: ['a', 'b'] } }]),
    textAnswer('one'),
    textAnswer('two'),
    textAnswer('three'),
  );
  const { loopId } = await app.client.start({ agent: 'boss', message: 'delegate' });
  await expect(app.client.result(loopId)).resolves.toMatchObject({ status: 'completed' });
  expect(started).toHaveLength(2);
  for (const child of started) {
    await expect(app.client.result(child.loopId)).resolves.toMatchObject({ status: 'completed' });
    expect(await app.client.get(child.loopId)).toMatchObject({ parentLoopId: loopId, agentName: 'worker', taskQueue: app.taskQueue });
  }
});

it('R53, R77, R78: the same start of the same call is one loop', async () => {
  await app.model.push(toolCallsAnswer([{ name: 'delegate_twice' }]), textAnswer('one'), textAnswer('two'));
  const { loopId } = await app.client.start({ agent: 'boss', message: 'delegate' });
  await app.client.result(loopId);
  expect(started.map(({ isNew }) => isNew)).toEqual([true, false]);
  expect(new Set(started.map((child) => child.loopId)).size).toBe(1);
});

it('R76, R78: a start that is refused is told to the model', async () => {
  await app.model.push(toolCallsAnswer([{ name: 'delegate', arguments: { to: 'nobody', tasks: ['a'] } }]), textAnswer('I see'));
  const { loopId } = await app.client.start({ agent: 'boss', message: 'delegate' });
  await app.client.result(loopId);
  const answer = (await app.client.transcript(loopId)).find(({ role }) => role === 'tool');
  expect(answer?.content).toContain('no agent is named "nobody"');
});

it('R78: a stop of the parent is passed down only if it is asked to', async () => {
  await app.stopWorker();
  const parent = await app.client.start({ agent: 'boss', message: 'x' });
  const child = await app.client.start({ agent: 'worker', message: 'y' });
  await app.database.db.updateTable('loops').set({ parent_loop_id: parent.loopId }).where('id', '=', child.loopId).execute();
  await app.client.control(parent.loopId, { verb: 'stop' });
  expect((await app.client.get(child.loopId)).status).toBe('init');
  await app.client.control(parent.loopId, { verb: 'reopen', message: 'again' });
  await app.client.control(parent.loopId, { verb: 'stop', children: true });
  expect((await app.client.get(child.loopId)).status).toBe('cancelled');
});
