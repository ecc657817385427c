import type { ModelSettings } from '../../../../src/agents/agent';
import { LostLease } from '../../../../src/domain/errors';
import { buildAiSdkRequest } from '../../../../src/llm/providers/ai-sdk/build-ai-sdk-request';
import { runLlmTurn } from '../../../../src/llm/run-llm-turn';
import { call, calls, offered, result, tool, user } from '../support/transcript';
import { agentOf, answerOf, failureOf, heldGuard, inputOf, recordedPorts } from '../support/turn';

type Part = Readonly<Record<string, unknown>>;

/** A language model of the AI SDK that plays parts and records what it was called with. */
class FakeLanguageModel {
  readonly specificationVersion = 'v2';
  readonly provider = 'fake.chat';
  readonly modelId = 'fake-1';
  readonly calls: Part[] = [];

  constructor(
    readonly answer: { readonly parts?: readonly Part[]; readonly whole?: Part; readonly error?: Error; readonly holds?: boolean },
  ) {}

  doStream(options: Part) {
    this.calls.push(options);
    if (this.answer.error !== undefined) return Promise.reject(this.answer.error);
    const { parts = [], holds = false } = this.answer;
    const stream = new ReadableStream<unknown>({
      start: (controller) => {
        for (const part of parts) controller.enqueue(part);
        if (!holds) controller.close();
      },
    });
    return Promise.resolve({ stream });
  }

  doGenerate(options: Part) {
    this.calls.push(options);
    return Promise.resolve(this.answer.whole ?? {});
  }
}

const usage = { inputTokens: 20, outputTokens: 9, totalTokens: 29, cachedInputTokens: 4, reasoningTokens: 5 };
const finish = (finishReason: unknown = 'stop', counts: unknown = usage): Part => ({ type: 'finish', finishReason, usage: counts });
const modelOf = (languageModel: unknown, fields: Partial<ModelSettings> = {}): ModelSettings => ({
  name: 'fake',
  api: 'ai-sdk',
  languageModel,
  ...fields,
});
const agent = (languageModel: unknown, fields: Partial<ModelSettings> = {}) =>
  agentOf({ model: modelOf(languageModel, fields), tools: [tool('add')] });

describe('a language model of the AI SDK', () => {
  test('R34: text and reasoning in parts are one answer, with its counts, and show while they come', async () => {
    const fake = new FakeLanguageModel({
      parts: [
        { type: 'stream-start', warnings: [] },
        { type: 'response-metadata', id: 'r1', modelId: 'fake-1-2026' },
        { type: 'reasoning-start', id: 'a' },
        { type: 'reasoning-delta', id: 'a', delta: 'Hm.' },
        { type: 'reasoning-end', id: 'a' },
        { type: 'text-start', id: 'b' },
        { type: 'text-delta', id: 'b', delta: 'Hel' },
        { type: 'text-delta', id: 'b', delta: 'lo' },
        { type: 'text-end', id: 'b' },
        finish(),
      ],
    });
    const ports = recordedPorts();
    expect(await answerOf(inputOf(agent(fake)), ports)).toMatchObject({
      content: 'Hello',
      reasoningContent: 'Hm.',
      usage: { prompt: 20, completion: 9, total: 29, promptCached: 4, reasoning: 5 },
      metadata: { model: 'fake-1-2026' },
    });
    expect(ports.parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : []))).toEqual(['Hel', 'lo']);
    expect(fake.calls[0]).toMatchObject({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      tools: [{ type: 'function', name: 'add' }],
      toolChoice: { type: 'auto' },
    });
  });

  test.each([
    ['whole', [{ type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: '{"a":1}' }]],
    [
      'in pieces and whole',
      [
        { type: 'tool-input-start', id: 'c1', toolName: 'add' },
        { type: 'tool-input-delta', id: 'c1', delta: '{"a"' },
        { type: 'tool-input-delta', id: 'c1', delta: ':1}' },
        { type: 'tool-input-end', id: 'c1' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: '{"a":1}' },
      ],
    ],
  ])('R34: a call that comes %s is one call', async (_title, parts) => {
    const found = await answerOf(inputOf(agent(new FakeLanguageModel({ parts: [...parts, finish('tool-calls')] }))), recordedPorts());
    expect(found.calls).toMatchObject([{ kind: 'accepted', providerId: 'c1', name: 'add', arguments: { a: 1 } }]);
    expect(found.calls).toHaveLength(1);
  });

  test('R34: a call that the provider runs itself is none of ours', async () => {
    const parts = [
      { type: 'tool-call', toolCallId: 'c1', toolName: 'web_search', input: '{}', providerExecuted: true },
      { type: 'text-delta', id: 'b', delta: 'ok' },
      finish(),
    ];
    expect((await answerOf(inputOf(agent(new FakeLanguageModel({ parts }))), recordedPorts())).calls).toEqual([]);
  });

  test('P47, P49: signed thoughts and marks of calls go back as they came', async () => {
    const parts = [
      { type: 'reasoning-start', id: 'a' },
      { type: 'reasoning-delta', id: 'a', delta: ' Add.\n' },
      { type: 'reasoning-end', id: 'a', providerMetadata: { anthropic: { signature: 'c2ln' } } },
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'add',
        input: '{"a":1}',
        providerMetadata: { google: { thoughtSignature: 'dGhv' } },
      },
      finish('tool-calls'),
    ];
    const found = await answerOf(inputOf(agent(new FakeLanguageModel({ parts }))), recordedPorts());
    const stored = call('c1', 'add', '{"a":1}');
    const transcript = [
      user('hi'),
      calls([stored], { providerExtras: found.providerExtras, metadata: found.metadata }),
      result(stored, '2'),
    ];
    expect(buildAiSdkRequest({ model: modelOf(undefined), instructions: 'Be brief.', transcript, tools: offered('add') }).messages).toEqual(
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: ' Add.\n', providerOptions: { anthropic: { signature: 'c2ln' } } },
            {
              type: 'tool-call',
              toolCallId: 'c1',
              toolName: 'add',
              input: { a: 1 },
              providerOptions: { google: { thoughtSignature: 'dGhv' } },
            },
          ],
        },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'add', output: { type: 'text', value: '2' } }] },
      ],
    );
  });

  test('R34: an answer in one piece is the same, and counts of v3 are read', async () => {
    const whole = {
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Hello' },
      ],
      finishReason: { unified: 'stop', raw: 'end_turn' },
      usage: { inputTokens: { total: 20, cacheRead: 4 }, outputTokens: { total: 9, reasoning: 5 } },
      response: { id: 'r1', modelId: 'fake-1' },
    };
    const fake = new FakeLanguageModel({ whole });
    expect(await answerOf(inputOf(agent(fake, { stream: false })), recordedPorts())).toMatchObject({
      content: 'Hello',
      reasoningContent: 'Hm.',
      usage: { prompt: 20, completion: 9, total: 29, promptCached: 4 },
    });
  });

  test('R41: its HTTP errors are classified like any other', async () => {
    const apiError = (statusCode: number, responseBody: string) =>
      Object.assign(new Error('call failed'), {
        statusCode,
        responseBody,
        responseHeaders: { 'Retry-After': '3' },
        url: 'https://fake.test/v1',
      });
    const failure = await failureOf(
      inputOf(agent(new FakeLanguageModel({ error: apiError(400, '{"error":{"message":"prompt is too long: 9 tokens > 4 maximum"}}') }))),
      recordedPorts(),
    );
    expect(failure.kind).toBe('context-limit');
    const run = runLlmTurn(inputOf(agent(new FakeLanguageModel({ error: apiError(429, 'slow') }))), recordedPorts());
    await expect(run).rejects.toMatchObject({ code: 'ProviderRetryable', retryAfterMs: 3000 });
  });

  test('P10: an error in the stream is retryable, and a stream without an end is no answer', async () => {
    const broken = new FakeLanguageModel({
      parts: [
        { type: 'text-delta', id: 'b', delta: 'Ha' },
        { type: 'error', error: new Error('worker lost') },
      ],
    });
    await expect(runLlmTurn(inputOf(agent(broken)), recordedPorts())).rejects.toMatchObject({
      code: 'ProviderRetryable',
      message: expect.stringContaining('worker lost') as string,
    });
    const cut = new FakeLanguageModel({ parts: [{ type: 'text-delta', id: 'b', delta: 'Ha' }] });
    await expect(runLlmTurn(inputOf(agent(cut)), recordedPorts())).rejects.toMatchObject({ code: 'ProviderRetryable' });
  });

  test('R17: a stream that says no more does not hold an attempt that was aborted', async () => {
    const controller = new AbortController();
    const fake = new FakeLanguageModel({ parts: [{ type: 'text-delta', id: 'b', delta: 'Ha' }], holds: true });
    const reason = new LostLease('turn 1');
    const ports = recordedPorts({ live: { push: (part) => part.type === 'text-delta' && controller.abort(reason) } });
    await expect(runLlmTurn(inputOf(agent(fake), { guard: heldGuard(controller.signal) }), ports)).rejects.toBe(reason);
  });

  test('R46: settings without such a model are refused with the field', async () => {
    expect(await failureOf(inputOf(agent(undefined)), recordedPorts())).toMatchObject({
      kind: 'failed',
      code: 'ConfigError',
      message: expect.stringContaining('languageModel') as string,
    });
  });

  test('P80: images go as files, by address or as they are', () => {
    const image = (url: string) => ({ type: 'image_url' as const, image_url: { url } });
    const transcript = [user('x', { contentParts: [image('data:image/png;base64,iVBORw0='), image('https://pictures.test/a.png')] })];
    expect(
      buildAiSdkRequest({ model: modelOf(undefined, { vision: true }), instructions: undefined, transcript, tools: [] }).messages,
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: 'iVBORw0=' },
          { type: 'file', mediaType: 'image/*', data: 'https://pictures.test/a.png' },
        ],
      },
    ]);
  });
});
