/** What was paid for answers that were thrown away, on real sockets, Postgres and Temporal. */

import { defineAgent } from '../../src/agents/define-agent';
import { deltaAnswer, errorAnswer, eventOf, rawAnswer, textAnswer, type ScriptedUsage } from '../../src/testing/scripted-answers';
import type { ScriptedResponse } from '../../src/testing/script';
import { startTestApp, type TestApp } from '../support/app';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    agents: (model) => [
      defineAgent({ name: 'plain', model }),
      defineAgent({ name: 'limited', model, limits: { costUsd: '0.00002' } }),
      defineAgent({ name: 'backed', model, fallbacks: [{ model: { ...model, name: 'second' }, on: ['server-error'] }] }),
      defineAgent({ name: 'formed', model, output: { name: 'v', schema: { type: 'object', required: ['n'] } } }),
    ],
    settings: { providerBackoff: 1, providerBackoffMaximum: 1, providerFailuresPerTurn: 2 },
  });
});
afterAll(() => app.close());
beforeEach(() => app.model.clear());

/** At 1 and 2 USD a million: 0.00002 USD. */
const USAGE: ScriptedUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const PAID = '0.0000200000';
const DISCARDED = { usage: { prompt: 10, completion: 5, total: 15 }, cost: { amountUsd: '0.00002', isKnown: true } };

/** Its connection is lost in the middle of the text. */
function brokenAnswer(usage?: ScriptedUsage): ScriptedResponse {
  const choices = [{ index: 0, delta: { content: 'Half an ans' }, finish_reason: null }];
  return rawAnswer([
    eventOf({ choices, ...(usage === undefined ? {} : { usage }) }),
    { kind: 'delay', milliseconds: 20 },
    { kind: 'destroy' },
  ]);
}

async function run(agent: string) {
  const { loopId } = await app.client.start({ agent, message: 'Go on' });
  const { status, answer, errorCode } = await app.client.result(loopId);
  const { counters } = await app.client.get(loopId);
  const messages = await app.database.db
    .selectFrom('messages')
    .select(['status', 'is_hidden', 'metadata'])
    .where('loop_id', '=', loopId)
    .where('role', '=', 'assistant')
    .orderBy('id')
    .execute();
  return { status, answer, errorCode, counters, messages };
}

it('R5, R6, P119: a stream that broke after its counts is paid for, and the shell that was given up shows them', async () => {
  await app.model.push(brokenAnswer(USAGE), textAnswer('Whole.', { usage: USAGE }));
  const { counters, messages } = await run('plain');
  expect(counters).toMatchObject({ steps: 1, tokensTotal: 15, cost: PAID, costDiscarded: PAID, costKnown: true });
  expect(messages).toMatchObject([
    { status: 'failed', is_hidden: true, metadata: { discarded: DISCARDED } },
    { status: 'success', is_hidden: false },
  ]);
  expect(messages[1]?.metadata).not.toHaveProperty('discarded');
});

it('R6, P119: text without counts was paid for too: nobody knows what', async () => {
  await app.model.push(brokenAnswer(), textAnswer('Whole.', { usage: USAGE }));
  const { counters } = await run('plain');
  expect(counters).toMatchObject({ cost: PAID, costDiscarded: '0.0000000000', costKnown: false });
});

it('R6: a request that was refused before any text costs nothing', async () => {
  await app.model.push(errorAnswer(503, { message: 'busy' }), textAnswer('Whole.', { usage: USAGE }));
  const { counters } = await run('plain');
  expect(counters).toMatchObject({ cost: PAID, costDiscarded: '0.0000000000', costKnown: true });
});

it('R6, P41: an answer that is asked for again, since its call could not be read', async () => {
  await app.model.push(deltaAnswer([], { finishReason: 'MALFORMED_FUNCTION_CALL', usage: USAGE }), textAnswer('Whole.', { usage: USAGE }));
  const { counters } = await run('plain');
  expect(counters).toMatchObject({ cost: PAID, costDiscarded: PAID });
});

it('R41, R46: a turn that fails for good is paid for', async () => {
  await app.model.push(brokenAnswer(USAGE), brokenAnswer(USAGE));
  const { status, counters } = await run('plain');
  expect(status).toBe('failed');
  expect(counters).toMatchObject({ steps: 1, tokensTotal: 0, cost: '0.0000000000', costDiscarded: '0.0000400000' });
});

it('R41: an error that is final, in the middle of an answer, is paid for', async () => {
  const refusal = eventOf({ error: { message: 'flagged', code: 'content_filter' }, usage: USAGE });
  await app.model.push(rawAnswer([eventOf({ choices: [{ index: 0, delta: { content: 'Ha' } }] }), refusal]));
  const { status, counters } = await run('plain');
  expect(status).toBe('failed');
  expect(counters).toMatchObject({ costDiscarded: PAID, costKnown: true });
});

it('R45: a cost limit counts what was thrown away', async () => {
  await app.model.push(brokenAnswer(USAGE), textAnswer('Never asked for.'));
  expect(await run('limited')).toMatchObject({ status: 'failed', errorCode: 'LimitExceededError', counters: { costDiscarded: PAID } });
});

it('R36, R46: where a fallback answers, the answer that broke off is paid for', async () => {
  await app.model.push(brokenAnswer(USAGE), textAnswer('Whole.', { usage: USAGE, match: { model: 'second' } }));
  const { counters, messages } = await run('backed');
  expect(counters).toMatchObject({ cost: PAID, costDiscarded: PAID });
  expect(messages).toMatchObject([{ status: 'success', metadata: { discarded: DISCARDED, fallback: { reason: 'server-error' } } }]);
});

it('R35, P53: several whole answers of one turn are the cost and the tokens of that turn', async () => {
  await app.model.push(textAnswer('{}', { usage: USAGE }), deltaAnswer([], { usage: USAGE }), textAnswer('{"n":1}', { usage: USAGE }));
  const { answer, counters } = await run('formed');
  expect(answer).toBe('{"n":1}');
  expect(counters).toMatchObject({ tokensTotal: 45, cost: '0.0000600000', costDiscarded: '0.0000000000' });
});

it('R48, R6: a further request that broke off is paid for, and the first answer stays', async () => {
  await app.model.push(textAnswer('{}', { usage: USAGE }), brokenAnswer(USAGE));
  const { answer, counters } = await run('formed');
  expect(answer).toBe('{}');
  expect(counters).toMatchObject({ cost: PAID, costDiscarded: PAID });
});
