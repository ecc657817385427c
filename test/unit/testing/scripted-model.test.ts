import { errorAnswer, rawAnswer, textAnswer, toolCallsAnswer } from '../../../src/testing/scripted-answers';
import { startScriptedModel, type ScriptedModel } from '../../../src/testing/scripted-model';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterEach(() => model.clear());
afterAll(() => model.stop());

const ask = (content: string, signal?: AbortSignal) =>
  fetch(`${model.baseURL}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content }] }),
    ...(signal === undefined ? {} : { signal }),
  });

test('R43: a scripted model answers in the order of its script and keeps each request with its body', async () => {
  await model.push(textAnswer('one'), toolCallsAnswer([{ name: 'add', arguments: { a: 1 } }]), errorAnswer(429, { message: 'slow down' }));
  expect(await (await ask('first')).text()).toContain('"content":"one"');
  expect(await (await ask('second')).text()).toContain('"name":"add"');
  expect((await ask('third')).status).toBe(429);
  const journal = await model.waitUntil((entries) => entries.every((entry) => entry.outcome === 'ended'));
  expect(journal.map((entry) => entry.body)).toMatchObject([
    { messages: [{ content: 'first' }] },
    { messages: [{ content: 'second' }] },
    {},
  ]);
});

test('R43: a response is taken by the request that matches it', async () => {
  await model.push(
    textAnswer('for b', { match: { lastUserMessageContains: 'b' } }),
    textAnswer('for a', { match: { lastUserMessageContains: 'a' }, times: 2 }),
  );
  expect(await (await ask('a')).text()).toContain('for a');
  expect(await (await ask('b')).text()).toContain('for b');
  expect(await (await ask('a')).text()).toContain('for a');
});

test('R43: a request without a response is answered 500 and marked', async () => {
  const response = await ask('anything');
  expect(response.status).toBe(500);
  expect(await response.text()).toContain('no response for request 1');
  expect(await model.journal()).toMatchObject([{ outcome: 'unscripted' }]);
});

test('R43: the journal tells a client that went from a connection that was broken off', async () => {
  await model.push(rawAnswer(['data: {}\n\n', { kind: 'hold' }]), rawAnswer(['data: {}\n\n', { kind: 'destroy' }]));
  const controller = new AbortController();
  await ask('held', controller.signal);
  controller.abort();
  await model.waitUntil((entries) => entries[0]?.outcome === 'client-aborted');
  await expect(ask('broken').then((response) => response.text())).rejects.toThrow();
  await model.waitUntil((entries) => entries[1]?.outcome === 'destroyed');
});

test('R43: a gate holds an answer until it is released', async () => {
  await model.push(rawAnswer(['data: a\n\n', { kind: 'wait', gate: 'go' }, 'data: b\n\n']));
  const response = await ask('gated');
  await model.release('go');
  expect(await response.text()).toBe('data: a\n\ndata: b\n\n');
});
