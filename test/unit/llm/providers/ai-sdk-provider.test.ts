// A real provider of the AI SDK, over real HTTP: its own requests, parts and errors, as they come from the package.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { AgentDefinition, ModelSettings } from '../../../../src/agents/agent';
import { runLlmTurn } from '../../../../src/llm/run-llm-turn';
import { startScriptedModel, type ScriptedModel } from '../../../../src/testing/scripted-model';
import { errorAnswer, rawAnswer, eventOf, textAnswer, toolCallsAnswer, wholeAnswer } from '../../../../src/testing/scripted-answers';
import { call, calls, result, tool, user } from '../support/transcript';
import { agentOf, answerOf, failureOf, inputOf, recordedPorts } from '../support/turn';

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel();
});
afterEach(() => server.clear());
afterAll(() => server.stop());

function agent(model: Partial<ModelSettings> = {}, fields: Partial<AgentDefinition> = {}) {
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: server.baseURL, apiKey: 'sk-scripted', includeUsage: true });
  return agentOf({
    model: { name: 'gpt-x', api: 'ai-sdk', languageModel: provider('gpt-x'), ...model },
    instructions: 'Be brief.',
    tools: [tool('add')],
    ...fields,
  });
}

const bodies = async (): Promise<readonly unknown[]> => (await server.journal()).map(({ body }) => body);

test('R34, R35: its stream is one answer, live while it comes, with its counts', async () => {
  await server.push(textAnswer('Forty-two.', { reasoning: 'Hm.', usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } }));
  const ports = recordedPorts();
  expect(await answerOf(inputOf(agent()), ports)).toMatchObject({
    content: 'Forty-two.',
    reasoningContent: 'Hm.',
    usage: { prompt: 20, completion: 9, total: 29 },
    calls: [],
  });
  expect(ports.parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : [])).join('')).toBe('Forty-two.');
});

test('R32, R34: calls come whole, and go back with their results under their ids', async () => {
  await server.push(
    toolCallsAnswer([
      { id: 'c1', name: 'add', arguments: { a: 17, b: 25 } },
      { id: 'c2', name: 'add', arguments: { a: 1, b: 2 } },
    ]),
  );
  const { calls: found } = await answerOf(inputOf(agent()), recordedPorts());
  expect(found).toMatchObject([
    { kind: 'accepted', providerId: 'c1', name: 'add', arguments: { a: 17, b: 25 } },
    { kind: 'accepted', providerId: 'c2', name: 'add', arguments: { a: 1, b: 2 } },
  ]);

  await server.push(textAnswer('42'));
  const add = call('c1', 'add', '{"a":17,"b":25}');
  const transcript = [user('Add.'), calls([add]), result(add, '42')];
  expect((await answerOf(inputOf(agent(), { transcript }), recordedPorts())).content).toBe('42');
  expect((await bodies()).at(-1)).toMatchObject({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Add.' },
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'add', arguments: '{"a":17,"b":25}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
    ],
    tools: [{ type: 'function', function: { name: 'add' } }],
  });
});

test('R34: a model that does not stream answers whole', async () => {
  await server.push(wholeAnswer({ content: 'Whole.' }));
  expect(await answerOf(inputOf(agent({ stream: false })), recordedPorts())).toMatchObject({ content: 'Whole.', usage: { total: 15 } });
});

test('R46: a limit of the rate comes again when the provider says, and is asked for once by us', async () => {
  await server.push(errorAnswer(429, { message: 'Rate limit reached', type: 'rate_limit' }, { headers: { 'retry-after': '7' } }));
  await expect(runLlmTurn(inputOf(agent()), recordedPorts())).rejects.toMatchObject({ code: 'ProviderRetryable', retryAfterMs: 7000 });
  expect(await server.journal()).toHaveLength(1);
});

test('R41: a window that is full is a context limit', async () => {
  const error = { message: "This model's maximum context length is 8192 tokens", code: 'context_length_exceeded' };
  await server.push(errorAnswer(400, error));
  expect(await failureOf(inputOf(agent()), recordedPorts())).toMatchObject({ kind: 'context-limit' });
});

test('R42: a key that is refused is final, says so, and is not shown', async () => {
  await server.push(errorAnswer(401, { message: 'Incorrect API key provided: sk-scripted' }));
  const failure = await failureOf(inputOf(agent()), recordedPorts());
  expect(failure.message).toMatch(/^HTTP 401/);
});

test('R48: a stream that breaks off is no answer', async () => {
  const chunk = {
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-x',
    choices: [{ index: 0, delta: { content: 'Half' } }],
  };
  await server.push(rawAnswer([eventOf(chunk), { kind: 'destroy' }]));
  await expect(runLlmTurn(inputOf(agent()), recordedPorts())).rejects.toMatchObject({ code: 'ProviderRetryable' });
});

test('R46: a server that is not there is waited for', async () => {
  const provider = createOpenAICompatible({ name: 'nowhere', baseURL: 'http://127.0.0.1:1025/v1' });
  await expect(runLlmTurn(inputOf(agent({ languageModel: provider('x') })), recordedPorts())).rejects.toMatchObject({
    code: 'ProviderRetryable',
  });
});
