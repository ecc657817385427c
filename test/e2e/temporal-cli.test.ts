/** One loop driven through every verb by somebody who has nothing but Temporal's command line, with a look at what its UI shows at each step. */

import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent';
import { defineTool } from '../../src/agents/define-tool';
import type { ControlAnswer, ControlVerb } from '../../src/domain/control';
import { errorAnswer, textAnswer, toolCallsAnswer } from '../../src/testing/scripted-answers';
import { startTestApp, type TestApp } from '../support/app';
import { temporalCli } from '../support/temporal-cli';
import { waitUntil } from '../support/wait-until';

const add = defineTool({
  name: 'add',
  description: 'Adds',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'read',
  run: ({ a, b }) => a + b,
});

const workflowId = `by-hand-${Math.random()}`;
const workflow = ['--workflow-id', workflowId] as const;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { shutdownGrace: 1 }, agents: (model) => [defineAgent({ name: 'clerk', model, tools: [add] })] });
});
afterAll(() => app.close());
beforeEach(() => app.model.clear());

const signal = (verb: ControlVerb, payload?: unknown): Promise<unknown> =>
  temporalCli('workflow', 'signal', ...workflow, '--name', verb, ...(payload === undefined ? [] : ['--input', JSON.stringify(payload)]));

async function control(request: object): Promise<ControlAnswer> {
  const answer = await temporalCli('workflow', 'update', 'execute', ...workflow, '--name', 'control', '--input', JSON.stringify(request));
  return (answer as { result: ControlAnswer }).result;
}

const refusalOf = (request: object): Promise<string> =>
  control(request).then(
    (answer) => JSON.stringify(answer),
    (error: unknown) => String((error as { stderr?: unknown }).stderr),
  );

/** What Temporal UI shows of the workflow: its status, and the current details. */
async function ui(): Promise<{ readonly status: string; readonly details: string }> {
  const [description, metadata] = await Promise.all([
    temporalCli('workflow', 'describe', ...workflow) as Promise<{ workflowExecutionInfo: { status: string } }>,
    temporalCli('workflow', 'metadata', ...workflow) as Promise<{ queryResult: readonly { currentDetails?: string }[] }>,
  ]);
  return {
    status: description.workflowExecutionInfo.status.replace('WORKFLOW_EXECUTION_STATUS_', '').toLowerCase(),
    details: metadata.queryResult[0]?.currentDetails ?? '',
  };
}

const untilShown = (status: string, details: string): Promise<unknown> =>
  waitUntil(`the UI to show ${status}: ${details}`, async () => {
    const shown = await ui();
    return shown.status === status && shown.details.includes(details);
  });

const textsOf = async (): Promise<readonly (string | null)[]> => (await app.client.transcript(workflowId)).map(({ content }) => content);
const reopenAs = ['--type', 'agentLoop', '--task-queue'] as const;

jest.setTimeout(180_000);

it('R60-R66, R69, R77: start, steer, edit, withdraw, pause, freeze, unfreeze, limits, resume, interrupt, stop, reopen, hide, show, retry, cancel', async () => {
  const held = textAnswer(['A', 'B'], { between: [{ kind: 'wait', gate: 'never' }] });
  await app.model.push(held);
  await temporalCli(
    'workflow',
    'start',
    ...workflow,
    '--type',
    'agentLoop',
    '--task-queue',
    app.taskQueue,
    '--input',
    JSON.stringify({ agent: 'clerk', message: 'Good morning' }),
  );
  await app.model.waitUntil((journal) => journal.length === 1);
  await untilShown('running', 'turn 1');

  // Three messages while the answer is in flight: one stays, one is changed, one is taken back.
  await signal('steer', 'First.');
  const [second, third] = [await control({ verb: 'steer', message: 'Secnd.' }), await control({ verb: 'steer', message: 'Third.' })];
  expect(second).toMatchObject({ ok: true, effect: 'message-kept', messageId: expect.any(String) as unknown });
  const idOf = (answer: ControlAnswer): string => (answer.ok ? (answer.messageId ?? '') : '');
  expect(await control({ verb: 'editMessage', messageId: idOf(second), message: 'Second.' })).toMatchObject({ effect: 'message-changed' });
  await signal('withdrawMessage', { messageId: idOf(third) });

  await signal('pause', { reason: 'lunch' });
  await untilShown('running', 'paused: waits for resume');
  expect(await app.client.get(workflowId)).toMatchObject({ status: 'paused' });
  await app.model.waitUntil((journal) => journal[0]?.outcome === 'client-aborted');

  await signal('freeze', { reason: 'audit' });
  await untilShown('running', 'frozen by an admin');
  expect(await refusalOf({ verb: 'resume' })).toContain('frozen');
  expect(await control({ verb: 'unfreeze' })).toMatchObject({ effect: 'unfrozen', status: 'paused' });
  expect(await control({ verb: 'setLimits', limits: { steps: 50 } })).toMatchObject({ effect: 'limits-set' });
  expect((await app.client.get(workflowId)).limits).toEqual({ steps: 50 });

  // Resume delivers what is left, in order; an interruption ends that turn for one message more.
  await app.model.push(held, toolCallsAnswer([{ name: 'add', arguments: { a: 1, b: 2 } }]), textAnswer('All three: 3.'));
  await signal('resume');
  await app.model.waitUntil((journal) => journal.length === 2);
  expect(await control({ verb: 'steer', message: 'Add 1 and 2.', interrupt: true })).toMatchObject({ effect: 'interrupted' });
  await untilShown('completed', 'completed');
  expect(await textsOf()).toEqual(['Good morning', 'First.', 'Second.', 'Add 1 and 2.', null, '3', 'All three: 3.']);

  // A closed workflow takes no signal; signal-with-start runs the same loop again.
  await expect(signal('steer', 'Too late')).rejects.toThrow('already completed');
  const loop = await app.client.get(workflowId);
  const goOn = (verb: ControlVerb, payload: unknown): Promise<unknown> =>
    temporalCli(
      'workflow',
      'signal-with-start',
      ...workflow,
      ...reopenAs,
      app.taskQueue,
      '--signal-name',
      verb,
      '--signal-input',
      JSON.stringify(payload),
      '--input',
      JSON.stringify({ loopId: loop.id }),
    );
  await app.model.push(errorAnswer(401, { message: 'Incorrect API key' }));
  await goOn('reopen', { message: 'And 3 and 4?' });
  await untilShown('failed', 'failed (ProviderFinal)');

  // Retried as it was, with one message hidden and one shown again.
  await app.model.push(held);
  await goOn('retry', {});
  await app.model.waitUntil((journal) => journal.length === 6);
  const [greeting] = await app.client.transcript(workflowId);
  expect(await control({ verb: 'hideMessage', messageId: greeting?.id })).toMatchObject({ effect: 'message-hidden' });
  expect(await control({ verb: 'showMessage', messageId: greeting?.id })).toMatchObject({ effect: 'message-shown' });
  expect(await control({ verb: 'stop', when: 'afterStep' })).toMatchObject({ effect: 'deferred' });
  expect(await control({ verb: 'stop', reason: 'enough', key: 'the-stop' })).toMatchObject({ effect: 'cancelled' });
  await untilShown('canceled', 'cancelled');

  // Temporal's own cancel is a stop.
  await app.model.push(held);
  await goOn('reopen', { message: 'Once more' });
  await app.model.waitUntil((journal) => journal.length === 7);
  await temporalCli('workflow', 'cancel', ...workflow);
  await untilShown('canceled', 'cancelled');
  expect(await app.client.get(workflowId)).toMatchObject({ status: 'cancelled' });
});

it('R69, R74: what cannot be done is an event with its reason, a repeat is answered as before, and a signal never fails the workflow', async () => {
  const other = ['--workflow-id', `by-hand-${Math.random()}`];
  const send = (verb: string, payload: string): Promise<unknown> =>
    temporalCli('workflow', 'signal', ...other, '--name', verb, '--input', payload);
  const ask = (request: object): Promise<unknown> =>
    temporalCli('workflow', 'update', 'execute', ...other, '--name', 'control', '--input', JSON.stringify(request));
  await app.model.push(textAnswer(['A', 'B'], { between: [{ kind: 'wait', gate: 'never' }] }));
  await temporalCli(
    'workflow',
    'start',
    ...other,
    '--type',
    'agentLoop',
    '--task-queue',
    app.taskQueue,
    '--input',
    JSON.stringify({ agent: 'clerk', message: 'Hello' }),
  );
  await app.model.waitUntil((journal) => journal.length === 1);

  for (const [verb, payload] of [
    ['steer', '{"message":""}'],
    ['steer', '17'],
    ['reopen', '{"message":"too early"}'],
    ['pause', '{"wen":"now"}'],
  ] as const)
    await send(verb, payload);
  expect(await ask({ verb: 'pause', key: 'k' })).toMatchObject({ result: { ok: true, effect: 'paused' } });
  expect(await ask({ verb: 'pause', key: 'k' })).toMatchObject({ result: { ok: true, effect: 'paused' } });
  await expect(ask({ verb: 'sing' })).rejects.toMatchObject({ stderr: expect.stringContaining('verb') as unknown });

  const { id } = await app.client.get(other[1] ?? '');
  const events = await app.database.db
    .selectFrom('events')
    .select(['name', 'error'])
    .where('loop_id', '=', id)
    .where('kind', '=', 'control')
    .orderBy('id')
    .execute();
  expect(events.filter(({ error }) => error !== null)).toHaveLength(5);
  expect(await app.client.control(id, { verb: 'stop' })).toMatchObject({ ok: true });
});
