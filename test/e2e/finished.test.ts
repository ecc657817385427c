/** "It is finished": told to hooks and to a signed webhook, at least once, whatever fails meanwhile. */

import { defineAgent } from '../../src/agents/define-agent';
import type { LoopFinishedEvent } from '../../src/agents/agent';
import { findFinishedLoop } from '../../src/db/loops/finished-loops';
import { toId } from '../../src/domain/ids';
import { errorAnswer, textAnswer } from '../../src/testing/scripted-answers';
import { verifyWebhook } from '../../src/util/signed-webhook';
import { startTestApp, type TestApp } from '../support/app';
import { waitUntil } from '../support/wait-until';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';

const SECRET = 'whsec-test';

let app: TestApp;
let receiver: WebhookReceiver;
const ofAgent: LoopFinishedEvent[] = [];
const ofConfig: LoopFinishedEvent[] = [];
let failures = 0;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  app = await startTestApp({
    agents: (model) => [defineAgent({ name: 'teller', model, hooks: { onLoopFinished: (event) => void ofAgent.push(event) } })],
    config: {
      onLoopFinished: (event) => {
        if (failures-- > 0) throw new Error('the mail server is away');
        ofConfig.push(event);
      },
      webhook: { url: receiver.url, secret: SECRET },
    },
  });
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});
beforeEach(async () => {
  await app.model.clear();
  for (const list of [ofAgent, ofConfig, receiver.received]) list.splice(0);
  failures = 0;
});

const untilTold = (loopId: string) =>
  waitUntil('everybody to be told', async () => (await findFinishedLoop(app.database.db, toId(loopId))) === undefined);

async function runOne(): Promise<string> {
  const { loopId } = await app.client.start({ agent: 'teller', message: 'hello' });
  await app.client.result(loopId);
  await untilTold(loopId);
  return loopId;
}

it('tells the agent’s hook, the config’s and the webhook of the answer, each once, under one key', async () => {
  await app.model.push(textAnswer('All done.'));
  const loopId = await runOne();
  const { generation, workflowId } = await app.client.get(loopId);
  const key = `${loopId}-${generation}`;
  expect(ofAgent).toEqual([expect.objectContaining({ answer: 'All done.', key })]);
  expect(ofConfig.map((event) => event.loop.id)).toEqual([loopId]);
  expect(receiver.received).toHaveLength(1);
  const [request] = receiver.received;
  expect(JSON.parse(request?.body ?? '')).toEqual({
    loopId,
    workflowId,
    agent: 'teller',
    status: 'completed',
    answer: 'All done.',
    errorCode: null,
  });
  expect(request?.headers['idempotency-key']).toBe(key);
  expect(verifyWebhook({ body: request?.body ?? '', signature: request?.headers['solidloop-signature'] as string, secret: SECRET })).toBe(
    true,
  );
});

it('tells again only those that did not take it, under the same key', async () => {
  await app.model.push(textAnswer('All done.'));
  failures = 1;
  receiver.answers.push(503);
  const loopId = await runOne();
  expect(ofAgent).toHaveLength(1);
  expect(ofConfig).toHaveLength(1);
  expect(receiver.received).toHaveLength(2);
  expect(new Set(receiver.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  const events = await app.database.db
    .selectFrom('events')
    .select(['name', 'error'])
    .where('loop_id', '=', loopId)
    .where('kind', '=', 'loop-finished-failed')
    .orderBy('name')
    .execute();
  expect(events).toEqual([
    { name: 'config', error: 'the mail server is away' },
    { name: 'webhook', error: 'the webhook was answered with status 503' },
  ]);
});

it('R65: a loop that is reopened and ends again is told again, under another key', async () => {
  await app.model.push(textAnswer('One.'), textAnswer('Two.'));
  const loopId = await runOne();
  await app.client.control(loopId, { verb: 'reopen', message: 'And then?' });
  await waitUntil('the second answer', () => receiver.received.length === 2);
  await untilTold(loopId);
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { answer: string }).answer)).toEqual(['One.', 'Two.']);
  expect(new Set(ofAgent.map(({ key }) => key)).size).toBe(2);
});

it('tells of failed and stopped loops too', async () => {
  await app.model.push(errorAnswer(401, { message: 'Incorrect API key' }));
  await runOne();
  expect(ofAgent).toEqual([expect.objectContaining({ answer: null, loop: expect.objectContaining({ status: 'failed' }) as unknown })]);
  const { loopId } = await app.client.start({ agent: 'teller', message: 'hello' });
  await app.client.control(loopId, { verb: 'stop' });
  await waitUntil('the stop to be told', () => ofAgent.length === 2);
  await untilTold(loopId);
  expect(ofAgent[1]?.loop.status).toBe('cancelled');
});
