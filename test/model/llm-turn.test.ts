// Whole turns with the embedded small model: what is real here is the server, its events and its errors.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { arithmeticTools } from '../../examples/tools/arithmetic';
import type { AgentDefinition, ModelSettings } from '../../src/agents/agent';
import { readDevEnvironment } from '../../src/config/dev-environment';
import type { ModelEndpoint } from '../../src/dev/model-endpoint';
import { startModelServer } from '../../src/dev/model-server';
import { runLlmTurn } from '../../src/llm/run-llm-turn';
import type { ManagedProcess } from '../../src/util/managed-process';
import { createTemporaryFolder } from '../support/temporary-folder';
import { call, calls, result, user } from '../unit/llm/support/transcript';
import { agentOf, answerOf, failureOf, inputOf, recordedPorts } from '../unit/llm/support/turn';

const FETCH_TIMEOUT_MS = 300_000;

const folder = createTemporaryFolder();
let server: ManagedProcess | undefined;
let endpoint: ModelEndpoint;

beforeAll(async () => {
  endpoint = await startModelServer({
    environment: { ...readDevEnvironment(), smallModelFile: undefined },
    dataFolder: folder.path,
    cacheFolder: '.cache',
    print: (line) => process.stderr.write(`${line}\n`),
    onProcess: async (started) => void (server = started),
  });
}, FETCH_TIMEOUT_MS);
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

const apis: readonly (readonly [NonNullable<ModelSettings['api']>, string, () => Partial<ModelSettings>])[] = [
  ['chat', 'max_tokens', () => ({ baseURL: endpoint.baseURL })],
  ['responses', 'max_output_tokens', () => ({ baseURL: endpoint.baseURL })],
  [
    'ai-sdk',
    'maxOutputTokens',
    () => ({ languageModel: createOpenAICompatible({ name: 'small', baseURL: endpoint.baseURL, includeUsage: true })(endpoint.model) }),
  ],
];

describe.each(apis)('a turn over the %s API of a real server', (api, limit, access) => {
  const agent = (fields: Partial<AgentDefinition> = {}) =>
    agentOf({
      model: { name: endpoint.model, ...access(), api, parameters: { temperature: 0, [limit]: 128 } },
      instructions: 'You are a helpful AI assistant.',
      tools: arithmeticTools,
      ...fields,
    });
  const question = user('What is 17 plus 25?');

  test('R34, R35: a call comes whole, once, with its counts', async () => {
    const found = await answerOf(inputOf(agent(), { transcript: [question] }), recordedPorts());
    expect(found.calls).toMatchObject([{ kind: 'accepted', name: 'add', arguments: { a: 17, b: 25 } }]);
    expect(found.calls).toHaveLength(1);
    expect(found.usage.total).toBe((found.usage.prompt ?? 0) + (found.usage.completion ?? 0));
    expect(found.usage.completion).toBeGreaterThan(0);
  });

  test('R32: its result goes back, and the answer comes, the same for those who watch', async () => {
    const add = call('call_1', 'add', '{"a":17,"b":25}');
    const ports = recordedPorts();
    const found = await answerOf(inputOf(agent(), { transcript: [question, calls([add]), result(add, '42')] }), ports);
    expect(found).toMatchObject({ content: 'The tool says: 42', calls: [], errorMessage: null });
    expect(ports.parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : [])).join('')).toBe(found.content);
  });

  test('R41, P97: a transcript beyond its window is a context limit', async () => {
    const failure = await failureOf(inputOf(agent(), { transcript: [user('word '.repeat(20_000))] }), recordedPorts());
    expect(failure.kind).toBe('context-limit');
    expect(failure.message).toMatch(/^Context limit reached: HTTP 400: .*exceeds the available context size/);
  });
});

test('R32: a form of answer is kept by the server itself', async () => {
  const output = {
    name: 'sum',
    schema: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'], additionalProperties: false },
  };
  const model = { name: endpoint.model, baseURL: endpoint.baseURL, parameters: { temperature: 0, max_tokens: 64 } };
  const found = await answerOf(inputOf(agentOf({ model, output }), { transcript: [user('What is 17 plus 25?')] }), recordedPorts());
  expect(found.errorMessage).toBeNull();
  expect(JSON.parse(found.content ?? '')).toEqual({ sum: expect.any(Number) as number });
});

test('P95: a wrong address says which one was tried', async () => {
  const agent = agentOf({ model: { name: endpoint.model, baseURL: endpoint.baseURL.replace('/v1', '/nope') } });
  expect((await failureOf(inputOf(agent), recordedPorts())).message).toMatch(
    /^HTTP 404: .*\/nope\/chat\/completions; check model\.baseURL/,
  );
});

test('R46: a server that is not there is waited for', async () => {
  const agent = agentOf({ model: { name: endpoint.model, baseURL: 'http://127.0.0.1:1025/v1' } });
  await expect(runLlmTurn(inputOf(agent), recordedPorts())).rejects.toMatchObject({ code: 'ProviderRetryable' });
});
