/** A loop from end to end on real Postgres and real Temporal; only the model is scripted, over real HTTP. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client as TemporalClient, Connection, WorkflowFailedError } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Client as PostgresClient } from 'pg';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent';
import { defineTool } from '../../src/agents/define-tool';
import { SolidLoopClient } from '../../src/client/solid-loop-client';
import { errorAnswer, textAnswer, toolCallsAnswer } from '../../src/testing/scripted-answers';
import { startTestApp, type TestApp } from '../support/app';
import { waitUntil } from '../support/wait-until';
import { temporalAddress } from '../support/workflows';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'read',
  run: ({ a, b }) => a + b,
});
const broken = defineTool({
  name: 'broken',
  description: 'Fails',
  effect: 'read',
  run: () => {
    throw new Error('the disk is full');
  },
});
const remember = defineTool({
  name: 'remember',
  description: 'Keeps a value',
  input: z.object({ value: z.string() }),
  effect: 'idempotent',
  run: ({ value }, { setState, idempotencyKey }) => {
    setState({ value });
    return idempotencyKey;
  },
});

let app: TestApp;
let temporal: TemporalClient;
beforeAll(async () => {
  app = await startTestApp({
    agents: (model) => [
      defineAgent({ name: 'calculator', model, instructions: 'Use the tools.', tools: [add, broken, remember] }),
      defineAgent({ name: 'seeing', model: { ...model, vision: true } }),
      defineAgent({ name: 'in-order', model, tools: [add], toolCalls: 'sequential' }),
      defineAgent({ name: 'strict', model, tools: [{ ...broken, onError: 'fail' }] }),
    ],
  });
  temporal = new TemporalClient({ connection: await Connection.connect({ address: temporalAddress() }) });
});
afterAll(async () => {
  await temporal.connection.close();
  await app.close();
});
beforeEach(() => app.model.clear());

const rolesOf = async (loop: string) => (await app.client.transcript(loop)).map(({ role, content }) => [role, content]);

describe('a loop', () => {
  it('R37, R38: answers a message and completes, with usage, cost and timings counted', async () => {
    await app.model.push(textAnswer('Good morning.', { usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 } }));
    const { loopId } = await app.client.start({ agent: 'calculator', message: 'Say good morning' });
    await expect(app.client.result(loopId)).resolves.toMatchObject({ status: 'completed', answer: 'Good morning.' });
    const { counters } = await app.client.get(loopId);
    expect(counters).toMatchObject({
      steps: 1,
      tokensPrompt: 1000,
      tokensCompletion: 500,
      tokensTotal: 1500,
      cost: '0.0020000000',
      costKnown: true,
    });
    expect(await rolesOf(loopId)).toEqual([
      ['user', 'Say good morning'],
      ['assistant', 'Good morning.'],
    ]);
  });

  it('R52, R55: runs parallel calls, answers each once, and goes on with the next turn', async () => {
    await app.model.push(
      toolCallsAnswer([
        { id: 'c1', name: 'add', arguments: { a: 1, b: 2 } },
        { id: 'c2', name: 'add', arguments: { a: 3, b: 4 } },
      ]),
      textAnswer('3 and 7'),
    );
    const { loopId } = await app.client.start({ agent: 'calculator', message: 'add' });
    await expect(app.client.result(loopId)).resolves.toMatchObject({ status: 'completed', answer: '3 and 7' });
    expect((await rolesOf(loopId)).map(([role]) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
    const second = (await app.model.journal())[1]?.body as { messages: { role: string; content: string; tool_call_id?: string }[] };
    expect(second.messages.slice(-2)).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: '3' },
      { role: 'tool', tool_call_id: 'c2', content: '7' },
    ]);
  });

  it('R52: a sequential agent runs its calls in order', async () => {
    await app.model.push(
      toolCallsAnswer([
        { id: 'c1', name: 'add', arguments: { a: 1, b: 2 } },
        { id: 'c2', name: 'add', arguments: { a: 3, b: 4 } },
        { id: 'c3', name: 'add', arguments: { a: 5, b: 6 } },
      ]),
      textAnswer('done'),
    );
    const { loopId } = await app.client.start({ agent: 'in-order', message: 'add' });
    await expect(app.client.result(loopId)).resolves.toMatchObject({ status: 'completed' });
    expect((await rolesOf(loopId)).filter(([role]) => role === 'tool')).toEqual([
      ['tool', '3'],
      ['tool', '7'],
      ['tool', '11'],
    ]);
  });

  it('R39: invalid arguments and an unknown tool go back to the model, and the loop goes on', async () => {
    await app.model.push(
      toolCallsAnswer([
        { id: 'c1', name: 'add', arguments: '{"a": 1,' },
        { id: 'c2', name: 'sum', arguments: { a: 3 } },
        { id: 'c3', name: 'add', arguments: { a: 'x', b: 1 } },
      ]),
      textAnswer('sorry'),
    );
    const { loopId } = await app.client.start({ agent: 'calculator', message: 'add' });
    await expect(app.client.result(loopId)).resolves.toMatchObject({ status: 'completed', answer: 'sorry' });
    const answers = (await rolesOf(loopId)).filter(([role]) => role === 'tool').map(([, content]) => content ?? '');
    expect(answers).toEqual([expect.stringContaining('JSON'), expect.stringContaining('sum'), expect.stringContaining('/a')]);
  });

  it('R76: a tool that throws is told to the model; one that must not fail ends the loop', async () => {
    await app.model.push(toolCallsAnswer([{ name: 'broken' }]), textAnswer('I see'), toolCallsAnswer([{ name: 'broken' }]));
    const told = await app.client.start({ agent: 'calculator', message: 'break' });
    await expect(app.client.result(told.loopId)).resolves.toMatchObject({ status: 'completed', answer: 'I see' });
    expect((await rolesOf(told.loopId))[2]?.[1]).toContain('the disk is full');
    const strict = await app.client.start({ agent: 'strict', message: 'break' });
    await expect(app.client.result(strict.loopId)).resolves.toMatchObject({
      status: 'failed',
      errorCode: 'ToolFailed',
      errorMessage: expect.stringContaining('the disk is full') as unknown,
    });
  });

  it('R53, R76: a tool gets its idempotency key, and its state is kept with the checkpoint', async () => {
    await app.model.push(toolCallsAnswer([{ name: 'remember', arguments: { value: 'blue' } }]), textAnswer('kept'));
    const { loopId } = await app.client.start({ agent: 'calculator', message: 'remember', state: { colour: 'red' } });
    await app.client.result(loopId);
    expect((await app.client.get(loopId)).state).toEqual({ colour: 'red', value: 'blue' });
    expect((await rolesOf(loopId))[2]?.[1]).toMatch(/^solid_loop:tool_call:[\da-f-]{36}$/);
  });

  it('R41: a full context ends the loop completed, any other final error failed', async () => {
    await app.model.push(
      errorAnswer(400, { message: "This model's maximum context length is 4096 tokens.", code: 'context_length_exceeded' }),
      errorAnswer(401, { message: 'Incorrect API key' }),
    );
    const full = await app.client.start({ agent: 'calculator', message: 'long' });
    await expect(app.client.result(full.loopId)).resolves.toMatchObject({
      status: 'completed',
      errorMessage: expect.stringMatching(/^Context limit reached: HTTP 400/) as unknown,
    });
    const refused = await app.client.start({ agent: 'calculator', message: 'hello' });
    await expect(app.client.result(refused.loopId)).resolves.toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining('401') as unknown,
    });
  });

  it('P80: images of a message reach a model that sees, in the form of the API', async () => {
    await app.model.push(textAnswer('a cat'));
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } } as const;
    const { loopId } = await app.client.start({ agent: 'seeing', message: [{ type: 'text', text: 'What is this?' }, image] });
    await expect(app.client.result(loopId)).resolves.toMatchObject({ status: 'completed', answer: 'a cat' });
    const { messages } = (await app.model.journal())[0]?.body as { messages: unknown[] };
    expect(messages.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] });
    expect((await rolesOf(loopId))[0]).toEqual(['user', 'What is this?']);
  });

  it('R46: a provider that fails in passing is asked again by Temporal alone, once each time', async () => {
    await app.model.push(errorAnswer(503, { message: 'overloaded' }, { headers: { 'retry-after-ms': '20' } }), textAnswer('now'));
    const { loopId } = await app.client.start({ agent: 'calculator', message: 'hello' });
    await expect(app.client.result(loopId)).resolves.toMatchObject({ status: 'completed', answer: 'now' });
    expect(await app.model.journal()).toHaveLength(2);
    expect((await app.client.get(loopId)).counters.steps).toBe(1);
  });
});

describe('a start', () => {
  it('R9: no text of a loop that this client starts is in the history of its workflow', async () => {
    await app.model.push(toolCallsAnswer([{ name: 'add', arguments: { a: 40_404, b: 1 } }]), textAnswer('the marmalade answer'));
    const { loopId, workflowId } = await app.client.start({
      agent: 'calculator',
      message: 'the marmalade question',
      title: 'marmalade title',
    });
    await app.client.result(loopId);
    const handle = temporal.workflow.getHandle(workflowId);
    await handle.result();
    const history = historyToJSON(await handle.fetchHistory());
    for (const secret of ['marmalade', '40404', '40405', 'sk-test-secret']) expect(history).not.toContain(secret);
  });

  it('R77: the same start key twice is one loop, ended or not', async () => {
    await app.model.push(textAnswer('one'));
    const first = await app.client.start({ agent: 'calculator', message: 'hello', key: 'order-17' });
    await app.client.result(first.loopId);
    const second = await app.client.start({ agent: 'calculator', message: 'hello', key: 'order-17' });
    expect(second).toEqual({ loopId: first.loopId, workflowId: first.workflowId, isNew: false, status: 'completed', isLaunched: true });
  });

  it('R2: inside the host’s transaction it becomes a loop on commit, and nothing on rollback', async () => {
    await app.model.push(textAnswer('committed'));
    const host = new PostgresClient({ connectionString: app.database.url });
    await host.connect();
    await host.query('begin');
    const started = await app.client.start({ agent: 'calculator', message: 'hello', transaction: host });
    expect(started).toMatchObject({ isNew: true, status: 'init', isLaunched: false });
    await host.query('commit');
    await expect(app.client.result(started.loopId)).resolves.toMatchObject({ status: 'completed', answer: 'committed' });
    await host.query('begin');
    const undone = await app.client.start({ agent: 'calculator', message: 'hello', transaction: host });
    await host.query('rollback');
    await expect(app.client.get(undone.loopId)).rejects.toMatchObject({ code: 'LoopNotFound' });
    await host.end();
  });

  it('R67: while Temporal is away a start is kept and control works; a worker launches the loop when it can', async () => {
    await app.model.push(textAnswer('later'));
    const away = await SolidLoopClient.connect({ databaseUrl: app.database.url, temporalAddress: '127.0.0.1:1', taskQueue: app.taskQueue });
    const started = await away.start({ agent: 'calculator', message: 'hello' });
    expect(started).toMatchObject({ isNew: true, isLaunched: false });
    await away.close();
    await expect(app.client.result(started.loopId)).resolves.toMatchObject({ status: 'completed', answer: 'later' });
  });

  it('R27, R46: the plain Temporal client’s starter sees why a start is refused, and no row is made', async () => {
    const refusal = async (input: unknown) =>
      temporal.workflow.execute('agentLoop', { taskQueue: app.taskQueue, workflowId: `refused-${Math.random()}`, args: [input] }).then(
        () => undefined,
        (error: unknown) => (error instanceof WorkflowFailedError ? error.cause : error),
      );
    await expect(refusal({ agent: 'nobody', message: 'x' })).resolves.toMatchObject({
      type: 'StartRefused',
      message: expect.stringContaining('calculator') as unknown,
    });
    await expect(refusal({ agent: 'calculator', message: '  ' })).resolves.toMatchObject({
      type: 'StartRefused',
      message: expect.stringContaining('message') as unknown,
    });
    await expect(refusal({ agent: 'calculator', message: 'x', mesage: 'y' })).resolves.toMatchObject({
      type: 'StartRefused',
      message: expect.stringContaining('mesage') as unknown,
    });
    await expect(refusal('hello')).resolves.toMatchObject({ type: 'StartRefused' });
    await expect(app.client.list({ agent: 'nobody' })).resolves.toEqual([]);
  });

  it('R77: Temporal’s own CLI starts the same loop', async () => {
    const cli = process.env.TEMPORAL_CLI;
    expect(cli).toBeDefined();
    await app.model.push(textAnswer('from the shell'));
    const workflowId = `cli-${Math.random()}`;
    await promisify(execFile)(cli ?? 'temporal', [
      ...['workflow', 'start', '--address', temporalAddress(), '--type', 'agentLoop', '--task-queue', app.taskQueue],
      ...['--workflow-id', workflowId, '--input', JSON.stringify({ agent: 'calculator', message: 'hello' })],
    ]);
    const loop = await waitUntil('the loop', () => app.client.get(workflowId).catch(() => undefined));
    await expect(app.client.result(loop.id)).resolves.toMatchObject({ status: 'completed', answer: 'from the shell' });
  });
});
