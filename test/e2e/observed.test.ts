/** What an operator sees of loops that run: counts, spans of one trace, the tool that held the worker up. */

import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent';
import { defineTool } from '../../src/agents/define-tool';
import { ensureReconcileSchedule, reconcileScheduleId } from '../../src/client/reconcile-schedule';
import { PrometheusMetrics } from '../../src/metrics/prometheus-metrics';
import { errorAnswer, textAnswer, toolCallsAnswer } from '../../src/testing/scripted-answers';
import { startTestApp, type TestApp } from '../support/app';
import { recordSpans } from '../support/recorded-spans';
import { waitUntil } from '../support/wait-until';
import { temporalAddress } from '../support/workflows';

const spans = recordSpans();
const metrics = new PrometheusMetrics();
const add = defineTool({
  name: 'add',
  description: 'Adds',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'read',
  run: ({ a, b }) => a + b,
});

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ metrics, agents: (model) => [defineAgent({ name: 'calculator', model, tools: [add] })] });
});
afterAll(() => app.close());

const lines = async (): Promise<readonly string[]> => (await metrics.registry.metrics()).split('\n');

it('start, turns, calls of the model and tools are spans of one trace, with the GenAI names, and are counted', async () => {
  await app.model.push(errorAnswer(429, { message: 'slow down' }, { headers: { 'retry-after-ms': '10' } }));
  await app.model.push(
    toolCallsAnswer([{ name: 'add', arguments: { a: 1, b: 2 } }]),
    textAnswer('3', { usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } }),
  );
  const { loopId } = await app.client.start({ agent: 'calculator', message: '1 + 2?' });
  await app.client.result(loopId);
  await waitUntil('all spans to end', () => spans.length === 8 && spans.every((span) => span.isEnded));

  const nameOf = (spanId: string | undefined): string | undefined => spans.find((span) => span.spanId === spanId)?.name;
  expect(spans.map((span) => [span.name, nameOf(span.parentId)])).toEqual([
    ['invoke_agent calculator', undefined],
    ['turn 1', 'invoke_agent calculator'],
    ['chat scripted-model', 'turn 1'],
    ['turn 1', 'invoke_agent calculator'],
    ['chat scripted-model', 'turn 1'],
    ['execute_tool add', 'invoke_agent calculator'],
    ['turn 2', 'invoke_agent calculator'],
    ['chat scripted-model', 'turn 2'],
  ]);
  expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);
  expect(spans[2]?.attributes).toMatchObject({ 'error.type': 'rate-limit' });
  expect(spans[5]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'add',
    'gen_ai.conversation.id': loopId,
  });
  expect(spans[7]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'scripted-model',
    'gen_ai.usage.input_tokens': 11,
    'gen_ai.usage.output_tokens': 7,
  });

  expect(await lines()).toEqual(
    expect.arrayContaining([
      'solidloop_steps_in_flight{kind="turn"} 0',
      'solidloop_step_attempts_total{kind="turn",failure="ProviderRetryable"} 1',
      'solidloop_step_attempts_total{kind="turn",failure=""} 2',
      'solidloop_step_attempts_total{kind="tool",failure=""} 1',
      'solidloop_provider_errors_total{model="scripted-model",class="rate-limit"} 1',
    ]),
  );
  expect(
    (await lines()).find((line) => line.startsWith('solidloop_tokens_total{agent="calculator"') && line.includes('"completion"')),
  ).toBeDefined();
});

it('no text of the conversation is in a span', () => {
  expect(JSON.stringify(spans)).not.toContain('1 + 2?');
});

it('R70: the reconciler’s schedule is made once, and runs on the workers of its queue', async () => {
  const client = new Client({ connection: await Connection.connect({ address: temporalAddress() }) });
  const schedule = client.schedule.getHandle(reconcileScheduleId(app.taskQueue));
  try {
    expect(await ensureReconcileSchedule(client, app.taskQueue)).toBe(true);
    expect(await ensureReconcileSchedule(client, app.taskQueue)).toBe(false);
    await schedule.trigger();
    await waitUntil(
      'a run',
      async () => (await app.database.db.selectFrom('reconciler_runs').select('finished_at').executeTakeFirst())?.finished_at ?? undefined,
    );
  } finally {
    await schedule.delete();
    await client.connection.close();
  }
});
