import { z } from 'zod';
import type { AgentDefinition, ModelSettings } from '../../../../src/agents/agent';
import { LostLease, SolidLoopError, WorkerShutdown } from '../../../../src/domain/errors';
import { createRedactor } from '../../../../src/events/redact';
import type { Logger } from '../../../../src/util/logger';
import { runLlmTurn } from '../../../../src/llm/run-llm-turn';
import { errorAnswer, textAnswer, toolCallsAnswer, deltaAnswer, wholeAnswer } from '../../../../src/testing/scripted-answers';
import { startScriptedModel, type ScriptedModel } from '../../../../src/testing/scripted-model';
import { DiscardedSpend } from '../../../../src/llm/turn/discarded-spend';
import { answer, call, calls, result, tool, user } from '../support/transcript';
import { agentOf, answerOf, failureOf, heldGuard, inputOf, recordedPorts } from '../support/turn';

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel();
});
beforeEach(() => server.clear());
afterAll(() => server.stop());

const model = (fields: Partial<ModelSettings> = {}): ModelSettings => ({ name: 'm', baseURL: server.baseURL, ...fields });
const agent = (fields: Partial<AgentDefinition> = {}) => agentOf({ model: model(), ...fields });

type Body = Record<string, unknown> & {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
};
const bodies = async (): Promise<readonly Body[]> => (await server.journal()).map((entry) => entry.body as Body);

/** What a turn that must not end throws. */
const thrownBy = (run: Promise<unknown>): Promise<SolidLoopError> =>
  run.then(
    () => {
      throw new Error('the turn ended');
    },
    (error: unknown) => error as SolidLoopError,
  );

const priced = { inputPerMillion: '1', outputPerMillion: '2' };

describe('a turn', () => {
  test('R30, R36: gives the answer with usage, cost, and who made it', async () => {
    await server.push(textAnswer('Hello.', { model: 'm-2026', usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } }));
    const found = await answerOf(inputOf(agent({ model: model({ price: priced }), instructions: 'Be brief.' })), recordedPorts());
    expect(found).toMatchObject({
      content: 'Hello.',
      calls: [],
      usage: { prompt: 100, completion: 10, total: 110 },
      cost: { amountUsd: '0.00012', isKnown: true },
      errorMessage: null,
    });
    expect(found.metadata).toMatchObject({ model: 'm-2026', finish_reason: 'stop', made_by: 'unknown/m', context_tokens: 110 });
    expect((await bodies())[0]?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ]);
  });

  test('R30: instructions and model may be functions of the loop', async () => {
    await server.push(textAnswer('ok'));
    const found = agent({
      model: ({ loop }) => model({ name: `m-${loop.id}` }),
      instructions: ({ loop }) => Promise.resolve(`You help ${loop.id}.`),
    });
    await answerOf(inputOf(found), recordedPorts());
    expect((await bodies())[0]).toMatchObject({ model: 'm-7', messages: [{ content: 'You help 7.' }, {}] });
  });

  test('R83: a tool with a name that providers refuse is called under its own', async () => {
    await server.push(toolCallsAnswer([{ id: 'c1', name: 'files_read', arguments: {} }]));
    const found = await answerOf(inputOf(agent({ tools: [tool('files/read')] })), recordedPorts());
    expect(found.calls).toMatchObject([{ kind: 'accepted', name: 'files/read' }]);
  });

  test("R80: tools of MCP servers are offered beside the agent's own", async () => {
    await server.push(textAnswer('ok'));
    const mcpTools = () => Promise.resolve([{ tool: tool('files.list'), mcpSessionId: '5' }]);
    await answerOf(
      inputOf(agent({ tools: [tool('own')], mcp: [{ name: 'files', url: 'http://files.test' }] })),
      recordedPorts({ mcpTools }),
    );
    expect((await bodies())[0]?.tools).toMatchObject([{ function: { name: 'own' } }, { function: { name: 'files_list' } }]);
  });

  test('R30: config and agent change the stack, the agent last', async () => {
    await server.push(textAnswer('ok'));
    const order: string[] = [];
    const note = (name: string) => async (_context: unknown, next: () => Promise<void>) => {
      order.push(name);
      await next();
    };
    const found = agent({ middleware: { llm: (stack) => stack.insertBefore('error-handling', note('agent'), 'agent') } });
    await answerOf(inputOf(found, { adjust: (stack) => stack.insertBefore('error-handling', note('config'), 'config') }), recordedPorts());
    expect(order).toEqual(['config', 'agent']);
  });

  test('R30: the default stack has its names in order', async () => {
    await server.push(textAnswer('ok'));
    let names: readonly string[] = [];
    await answerOf(inputOf(agent({ middleware: { llm: (stack) => ((names = stack.names), stack) } })), recordedPorts());
    expect(names).toEqual([
      'error-handling',
      'agent-initialization',
      'message-building',
      'event-logging',
      'network-calling',
      'response-parsing',
    ]);
  });

  test('R30: a middleware that does not call next is told of', async () => {
    const found = agent({ middleware: { llm: (stack) => stack.replace('network-calling', () => Promise.resolve()) } });
    await expect(runLlmTurn(inputOf(found), recordedPorts())).rejects.toThrow(/did not call next/);
  });

  test('R30: those who watch are shown the cost', async () => {
    await server.push(textAnswer('ok'));
    const ports = recordedPorts();
    await answerOf(inputOf(agent({ model: model({ price: priced }) })), ports);
    expect(ports.parts).toContainEqual({ type: 'cost', amountUsd: '0.00002', isKnown: true });
  });
});

describe('errors of a turn', () => {
  test('R41: a final HTTP error fails the turn with status and body', async () => {
    await server.push(errorAnswer(400, { message: 'bad temperature' }));
    expect(await failureOf(inputOf(agent()), recordedPorts())).toEqual({
      kind: 'failed',
      code: 'ProviderFinal',
      message: 'HTTP 400: {"error":{"message":"bad temperature"}}',
      durationSeconds: expect.any(Number) as number,
    });
    expect(await server.journal()).toHaveLength(1);
  });

  test('R41: a full context is told as such', async () => {
    await server.push(errorAnswer(400, { message: "This model's maximum context length is 4096 tokens." }));
    const failure = await failureOf(inputOf(agent()), recordedPorts());
    expect(failure.kind).toBe('context-limit');
    expect(failure.message).toMatch(/^Context limit reached: HTTP 400: .*4096 tokens/);
  });

  test('R46, P109: a retryable error is thrown after one request, with its time', async () => {
    await server.push(errorAnswer(503, { message: 'busy' }, { headers: { 'retry-after': '3' } }));
    const error = await thrownBy(runLlmTurn(inputOf(agent()), recordedPorts()));
    expect(error).toMatchObject({ code: 'ProviderRetryable', retryAfterMs: 3000, message: 'HTTP 503: {"error":{"message":"busy"}}' });
    expect(error.field).toBeUndefined();
    expect(await server.journal()).toHaveLength(1);
  });

  test('P100: a wait beyond the setting is final', async () => {
    await server.push(errorAnswer(429, { message: 'slow down' }, { headers: { 'retry-after': '86400' } }));
    expect((await failureOf(inputOf(agent()), recordedPorts())).message).toContain('providerRetryHintMaximum: 3600 s');
  });

  test('R42: keys that a server sends back, of the model or in its headers, reach neither row nor log', async () => {
    const [apiKey, header] = ['sk-of-the-model', 'sk-of-the-header'];
    await server.push(errorAnswer(401, { message: `bad keys ${apiKey} and ${header}` }));
    const logged: unknown[] = [];
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      error: () => undefined,
      warn: (...line: unknown[]) => void logged.push(line),
    };
    const redact = (text: string, secrets: readonly string[]) => createRedactor(secrets).text(text);
    const sent = agent({ model: model({ apiKey, headers: { 'Helicone-Auth': `Bearer ${header}` } }) });
    const { message } = await failureOf(inputOf(sent), recordedPorts({ redact, logger: logger as unknown as Logger }));
    expect(message).toContain('bad keys [redacted] and [redacted]');
    expect(JSON.stringify(logged)).toContain('bad keys [redacted] and [redacted]');
  });

  test('P94: a tool that the provider names by its place is named', async () => {
    await server.push(errorAnswer(400, { message: 'Invalid schema for tools[1].function.parameters' }));
    const failure = await failureOf(inputOf(agent({ tools: [tool('first'), tool('second')] })), recordedPorts());
    expect(failure.message).toContain('tools[1] (\\"second\\")'.replaceAll('\\', ''));
  });

  test("R46: an error of the agent's own code is final", async () => {
    const failure = await failureOf(
      inputOf(
        agent({
          instructions: () => {
            throw new Error('no such row');
          },
        }),
      ),
      recordedPorts(),
    );
    expect(failure).toMatchObject({ kind: 'failed', code: 'InternalError', message: 'no such row' });
  });

  test.each([
    ['LostLease', new LostLease('turn 1')],
    ['a database error', Object.assign(new Error('terminating connection'), { code: '57P01', severity: 'FATAL' })],
    ['a database that is away', new SolidLoopError('DatabaseUnavailable', 'away')],
    ['an MCP server that cannot be reached', new SolidLoopError('McpUnreachable', 'away')],
  ])('R24: %s passes through untouched', async (_title, error) => {
    const found = agent({
      instructions: () => {
        throw error;
      },
    });
    await expect(thrownBy(runLlmTurn(inputOf(found), recordedPorts()))).resolves.toBe(error);
  });

  test('R17: the reason of the signal is what is thrown', async () => {
    await server.push({ steps: [{ kind: 'head' }, { kind: 'hold' }] });
    const controller = new AbortController();
    const run = thrownBy(runLlmTurn(inputOf(agent(), { guard: heldGuard(controller.signal) }), recordedPorts()));
    await server.waitUntil((journal) => journal.length === 1);
    const reason = new WorkerShutdown();
    controller.abort(reason);
    expect(await run).toBe(reason);
  });

  test('R17: instructions that never come do not hold an attempt that was aborted', async () => {
    const controller = new AbortController();
    const run = thrownBy(
      runLlmTurn(
        inputOf(agent({ instructions: () => new Promise<string>(() => undefined) }), { guard: heldGuard(controller.signal) }),
        recordedPorts(),
      ),
    );
    const reason = new LostLease('turn 1');
    controller.abort(reason);
    expect(await run).toBe(reason);
  });

  test('R31: an attempt that is not held asks nobody', async () => {
    const reason = new LostLease('turn 1');
    const guard = {
      signal: new AbortController().signal,
      assertHeld: () => {
        throw reason;
      },
    };
    expect(await thrownBy(runLlmTurn(inputOf(agent(), { guard }), recordedPorts()))).toBe(reason);
    expect(await server.journal()).toEqual([]);
  });

  test('R48: a whole answer goes on whatever the signal says', async () => {
    await server.push(textAnswer('whole'));
    const controller = new AbortController();
    const abortAfterRead = async (_context: unknown, next: () => Promise<void>) => {
      controller.abort(new WorkerShutdown());
      await next();
    };
    const found = agent({ middleware: { llm: (stack) => stack.insertBefore('response-parsing', abortAfterRead, 'abort') } });
    expect(await answerOf(inputOf(found, { guard: heldGuard(controller.signal) }), recordedPorts())).toMatchObject({ content: 'whole' });
  });
});

describe('a refusal that names its reason', () => {
  test('P86: stream_options is left out once and remembered', async () => {
    const ports = recordedPorts();
    await server.push(
      errorAnswer(400, { message: 'stream_options: Extra inputs are not permitted' }),
      textAnswer('ok', { usage: null, times: 2 }),
    );
    expect(await answerOf(inputOf(agent()), ports)).toMatchObject({
      content: 'ok',
      usage: { prompt: null },
      cost: { amountUsd: '0', isKnown: false },
    });
    await answerOf(inputOf(agent()), ports);
    expect((await bodies()).map((body) => 'stream_options' in body)).toEqual([true, false, false]);
  });

  const reasoned = [user('hi'), ...((p) => [calls([p], { reasoningContent: 'Hm' }), result(p, 'r')])(call('p'))];
  const refusedReasoning = () =>
    errorAnswer(
      400,
      JSON.stringify({
        message: 'body.messages.1.assistant.reasoning_content: property not supported',
        type: 'invalid_request_error',
        code: 'wrong_api_format',
      }),
    );
  const replaying = () => agent({ model: model({ quirks: { replayReasoning: 'with-calls' } }) });

  test('P46: reasoning is left out once', async () => {
    await server.push(refusedReasoning(), textAnswer('ok'));
    await answerOf(inputOf(replaying(), { transcript: reasoned }), recordedPorts());
    expect((await bodies()).map((body) => JSON.stringify(body).includes('reasoning_content'))).toEqual([true, false]);
  });

  test('P46: there is no third request', async () => {
    await server.push({ ...refusedReasoning(), times: 'always' });
    expect((await failureOf(inputOf(replaying(), { transcript: reasoned }), recordedPorts())).kind).toBe('failed');
    expect(await server.journal()).toHaveLength(2);
  });

  test('P44: reasoning that is missing is sent once it is asked for', async () => {
    await server.push(
      errorAnswer(400, { message: 'Missing `reasoning_content` field in the assistant message at message index 1.' }),
      textAnswer('ok'),
    );
    await answerOf(inputOf(agent(), { transcript: reasoned }), recordedPorts());
    expect((await bodies()).map((body) => JSON.stringify(body).includes('"reasoning_content":"Hm"'))).toEqual([false, true]);
  });

  test('P88: the other form of empty content is tried once', async () => {
    await server.push(errorAnswer(400, { message: 'messages.2.content: Input should be a valid string' }), textAnswer('ok'));
    await answerOf(inputOf(agent(), { transcript: reasoned }), recordedPorts());
    expect((await bodies()).map((body) => body.messages[1]?.content)).toEqual([null, '']);
  });

  test('P13: a model that may not be streamed is asked for the whole, and is asked so from then on', async () => {
    const ports = recordedPorts();
    await server.push(errorAnswer(400, { message: 'Your organization must be verified to stream this model.' }));
    await server.push(wholeAnswer({ content: 'one' }), wholeAnswer({ content: 'two' }));
    expect((await answerOf(inputOf(agent()), ports)).content).toBe('one');
    expect((await answerOf(inputOf(agent()), ports)).content).toBe('two');
    expect((await bodies()).map((body) => body.stream)).toEqual([true, false, false]);
  });

  test('P76: an id that is refused is made anew on both sides', async () => {
    const sent = call('call_1');
    await server.push(errorAnswer(400, { message: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.' }));
    await server.push(textAnswer('ok'));
    await answerOf(inputOf(agent(), { transcript: [user('hi'), calls([sent]), result(sent, 'r')] }), recordedPorts());
    const ids = (await bodies()).map(({ messages }) => (messages as readonly { tool_call_id?: string }[]).at(-1)?.tool_call_id);
    expect(ids).toEqual(['call_1', expect.stringMatching(/^[a-zA-Z0-9]{9}$/)]);
  });

  test('P107: a call that could not be read is asked for once more, with what was wrong', async () => {
    const failed = () =>
      errorAnswer(400, {
        message: "Failed to call a function. See 'failed_generation'.",
        code: 'tool_use_failed',
        failed_generation: '<function=add>{"a": 1}</function>',
      });
    await server.push(failed(), toolCallsAnswer([{ name: 'add', arguments: {} }]));
    expect((await answerOf(inputOf(agent({ tools: [tool('add')] })), recordedPorts())).calls).toHaveLength(1);
    expect((await bodies())[1]?.messages.at(-1)?.content).toContain('<function=add>');

    await server.clear();
    await server.push({ ...failed(), times: 'always' });
    const failure = await failureOf(inputOf(agent({ tools: [tool('add')] })), recordedPorts());
    expect(failure).toMatchObject({ kind: 'failed' });
    expect(failure.message).toContain('<function=add>');
    expect(await server.journal()).toHaveLength(2);
  });
});

describe('no answer', () => {
  test('P53: reasoning alone is asked for once more, and both are paid for', async () => {
    await server.push(textAnswer('', { reasoning: 'The answer is 12.' }), textAnswer('12'));
    const found = await answerOf(inputOf(agent({ model: model({ price: priced }) })), recordedPorts());
    expect(found).toMatchObject({
      content: '12',
      errorMessage: null,
      usage: { prompt: 20, completion: 10 },
      cost: { amountUsd: '0.00004' },
    });
    expect((await bodies())[1]?.messages).toEqual([{ role: 'user', content: 'hi' }]);
  });

  test('P53: the second silence ends it, with its reasoning and a message', async () => {
    await server.push(textAnswer('', { reasoning: 'The answer is 12.', times: 'always' }));
    const found = await answerOf(inputOf(agent()), recordedPorts());
    expect(found).toMatchObject({ content: null, reasoningContent: 'The answer is 12.', calls: [] });
    expect(found.errorMessage).toMatch(/no answer/);
    expect(await server.journal()).toHaveLength(2);
  });

  test('R48: where the second request fails the first answer stays', async () => {
    await server.push(textAnswer('', { reasoning: 'Hm' }), errorAnswer(500, 'down'));
    expect(await answerOf(inputOf(agent()), recordedPorts())).toMatchObject({ reasoningContent: 'Hm', content: null });
  });

  test('P106: a filtered answer is not asked for again', async () => {
    await server.push(deltaAnswer([{ content: '' }], { finishReason: 'content_filter' }));
    expect((await answerOf(inputOf(agent()), recordedPorts())).errorMessage).toMatch(/filter/);
    expect(await server.journal()).toHaveLength(1);
  });
});

describe('fallback models', () => {
  const other = () => model({ name: 'other' });

  test('R46: a fallback takes over on its classes of error and is stamped on the message', async () => {
    await server.push(
      errorAnswer(529, { type: 'overloaded_error', message: 'try later' }),
      textAnswer('ok', { match: { model: 'other' } }),
    );
    const found = await answerOf(inputOf(agent({ fallbacks: [{ model: other() }] })), recordedPorts());
    expect(found.metadata).toMatchObject({ fallback: { from: 'm', reason: 'overloaded' }, made_by: 'unknown/other' });
  });

  test('R46: on any other error nobody takes over', async () => {
    await server.push(errorAnswer(401, { message: 'bad key' }));
    expect((await failureOf(inputOf(agent({ fallbacks: [{ model: other() }] })), recordedPorts())).message).toContain('401');
    expect(await server.journal()).toHaveLength(1);
  });

  test('R46: fallbacks are tried in order, each on its own classes', async () => {
    await server.push(errorAnswer(429, { message: 'slow' }), textAnswer('ok', { match: { model: 'third' } }));
    const fallbacks = [{ model: other() }, { model: model({ name: 'third' }), on: ['rate-limit' as const] }];
    expect((await answerOf(inputOf(agent({ fallbacks })), recordedPorts())).metadata).toMatchObject({ fallback: { reason: 'rate-limit' } });
  });

  test('R46: where all fail, what may come again comes again', async () => {
    await server.push(errorAnswer(503, 'busy'), errorAnswer(401, { message: 'bad key' }));
    expect(await thrownBy(runLlmTurn(inputOf(agent({ fallbacks: [{ model: other() }] })), recordedPorts()))).toMatchObject({
      code: 'ProviderRetryable',
      message: 'HTTP 503: busy',
    });
  });

  test('R41: where all end for good, the failure of the first is told', async () => {
    await server.push(errorAnswer(402, { message: 'Insufficient Balance' }), errorAnswer(401, { message: 'bad key' }));
    expect((await failureOf(inputOf(agent({ fallbacks: [{ model: other() }] })), recordedPorts())).message).toContain(
      'Insufficient Balance',
    );
  });
});

describe('our own limit of rate', () => {
  test('R46: a minute that is used up comes again later, marked, and no request is made', async () => {
    const rates = { reserve: () => Promise.resolve(1234), settle: () => Promise.resolve() };
    const error = await thrownBy(runLlmTurn(inputOf(agent({ model: model({ requestsPerMinute: 1 }) })), recordedPorts({ rates })));
    expect(error).toMatchObject({ code: 'ProviderRetryable', field: 'rate-governor', retryAfterMs: 1234 });
    expect(await server.journal()).toEqual([]);
  });

  test("R46: the tokens of an answer are counted under the model's key", async () => {
    await server.push(textAnswer('ok'));
    const counted: unknown[] = [];
    const rates = { reserve: () => Promise.resolve(0), settle: (...of: readonly unknown[]) => Promise.resolve(void counted.push(of)) };
    await answerOf(inputOf(agent({ model: model({ tokensPerMinute: 100, rateKey: 'ours' }) })), recordedPorts({ rates }));
    expect(counted).toEqual([['ours', 15]]);
  });

  test('R24: a count that fails does not lose the answer', async () => {
    await server.push(textAnswer('ok'));
    const rates = { reserve: () => Promise.resolve(0), settle: () => Promise.reject(new Error('away')) };
    expect(await answerOf(inputOf(agent({ model: model({ tokensPerMinute: 100 }) })), recordedPorts({ rates }))).toMatchObject({
      content: 'ok',
    });
  });
});

describe('a form for the final answer', () => {
  const output = { name: 'verdict', schema: z.object({ ok: z.boolean() }) };

  test('R32: an answer that fits is kept, without a fence around it', async () => {
    await server.push(textAnswer('```json\n{"ok":true}\n```'));
    expect(await answerOf(inputOf(agent({ output })), recordedPorts())).toMatchObject({ content: '{"ok":true}', errorMessage: null });
    expect((await bodies())[0]?.response_format).toMatchObject({ type: 'json_schema', json_schema: { name: 'verdict' } });
  });

  test.each([['```JSON {"ok":true}```'], ['\uFEFF{"ok":true}\n']])('R32: what stands around the JSON is taken off %j', async (sent) => {
    await server.push(textAnswer(sent));
    expect(await answerOf(inputOf(agent({ output })), recordedPorts())).toMatchObject({ content: '{"ok":true}', errorMessage: null });
  });

  test('R32: a refusal is no form that was missed: nothing is asked again, and the answer says so', async () => {
    await server.push(wholeAnswer({ content: null, refusal: 'I will not.' }));
    expect(await answerOf(inputOf(agent({ output })), recordedPorts())).toMatchObject({
      content: 'I will not.',
      errorMessage: 'The answer does not fit the output schema "verdict": the model refused to answer',
    });
    expect(await server.journal()).toHaveLength(1);
  });

  test('R32: one round of correction, told what is wrong, both paid for', async () => {
    await server.push(textAnswer('{"ok":"yes"}'), textAnswer('{"ok":true}'));
    expect(await answerOf(inputOf(agent({ output })), recordedPorts())).toMatchObject({
      content: '{"ok":true}',
      errorMessage: null,
      usage: { prompt: 20 },
    });
    expect((await bodies())[1]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: '{"ok":"yes"}' },
      { role: 'user', content: expect.stringContaining('ok: ') as string },
    ]);
  });

  test('R32: after the one round the answer is kept with what is wrong', async () => {
    await server.push(textAnswer('no idea', { times: 'always' }));
    const found = await answerOf(inputOf(agent({ output: { name: 'v', schema: { type: 'object', required: ['ok'] } } })), recordedPorts());
    expect(found.content).toBe('no idea');
    expect(found.errorMessage).toMatch(/does not fit the output schema "v": it is not JSON/);
    expect(await server.journal()).toHaveLength(2);
  });

  test('R32: an answer with calls is not held against it', async () => {
    await server.push(toolCallsAnswer([{ name: 'f' }], { text: 'I look.' }));
    expect(await answerOf(inputOf(agent({ output, tools: [tool('f')] })), recordedPorts())).toMatchObject({
      content: 'I look.',
      errorMessage: null,
    });
    expect(await server.journal()).toHaveLength(1);
  });

  test('R32: where response_format is refused the form is asked for in words', async () => {
    await server.push(errorAnswer(400, { message: 'response_format is not supported' }), textAnswer('{"ok":true}'));
    await answerOf(inputOf(agent({ output })), recordedPorts());
    const [first, second] = await bodies();
    expect(first).toHaveProperty('response_format');
    expect(second).not.toHaveProperty('response_format');
    expect(second?.messages[0]?.content).toContain('JSON Schema');
  });
});

describe('a transcript that nears the window', () => {
  const turns = (count: number, tokens: number) => [
    user('the task', { seq: 1 }),
    ...Array.from({ length: count }, (_, index) => [
      answer(`answer ${index} ${'x'.repeat(400)}`, { seq: 2 * index + 2, metadata: index === count - 1 ? { context_tokens: tokens } : {} }),
      user(`question ${index}`, { seq: 2 * index + 3 }),
    ]).flat(),
  ];
  const small = (kind: 'end' | 'drop-oldest' | 'summarise', keepTurns = 2) =>
    agent({ model: model({ contextWindow: 1000 }), context: { kind, keepTurns } });
  const textsOf = (body: Body | undefined) => body?.messages.map((message) => String(message.content).slice(0, 12));

  test('R41: the strategy to end does so before the call', async () => {
    const failure = await failureOf(inputOf(small('end'), { transcript: turns(6, 900) }), recordedPorts());
    expect(failure).toMatchObject({ kind: 'context-limit' });
    expect(failure.message).toMatch(/^Context limit reached: about 9\d\d of the 1000 tokens/);
    expect(await server.journal()).toEqual([]);
  });

  test('R41: below its share of the window nothing is done', async () => {
    await server.push(textAnswer('ok'));
    const found = await answerOf(inputOf(small('drop-oldest'), { transcript: turns(6, 500) }), recordedPorts());
    expect((await bodies())[0]?.messages).toHaveLength(13);
    expect(found.metadata).not.toHaveProperty('context_view');
  });

  test('R41: old turns leave the view, the task stays, and later turns go on from there', async () => {
    await server.push(textAnswer('ok', { times: 2 }));
    const transcript = turns(6, 900);
    const found = await answerOf(inputOf(small('drop-oldest'), { transcript }), recordedPorts());
    expect(textsOf((await bodies())[0])?.[0]).toMatch(/^the task/);
    expect((await bodies())[0]?.messages.length).toBeLessThan(9);
    const later = [...transcript, answer('ok', { seq: 20, metadata: found.metadata }), user('more', { seq: 21 })];
    const second = await answerOf(inputOf(small('drop-oldest'), { transcript: later }), recordedPorts());
    expect(second.metadata.context_view).toEqual(found.metadata.context_view);
    expect((await bodies())[1]?.messages.length).toBe(((await bodies())[0]?.messages.length ?? 0) + 2);
  });

  test('R41: old turns are summarised by the model, which is paid for and seen by nobody', async () => {
    const ports = recordedPorts();
    await server.push(textAnswer('They talked.', { name: 'summary' }), textAnswer('ok'));
    const found = await answerOf(inputOf(small('summarise'), { transcript: turns(6, 900) }), ports);
    const [summary, request] = await bodies();
    expect(String(summary?.messages[1]?.content)).toContain('[assistant] answer 0');
    expect(String(request?.messages[0]?.content)).toContain('[Summary of the conversation up to here]\nThey talked.');
    expect(found).toMatchObject({
      content: 'ok',
      usage: { prompt: 20 },
      metadata: { context_view: { summary: 'They talked.' }, context_tokens: 15 },
    });
    expect(
      ports.parts
        .filter((part) => part.type === 'text-delta')
        .map((part) => part.text)
        .join(''),
    ).toBe('ok');
  });

  test('R41: what a turn took in several requests does not fill the window: the last one counts', async () => {
    await server.push(deltaAnswer([]), textAnswer('ok'));
    expect(await answerOf(inputOf(small('end'), { transcript: turns(2, 500) }), recordedPorts())).toMatchObject({
      usage: { total: 30 },
      metadata: { context_tokens: 15 },
    });
  });

  test('R6, R41: a summary whose answer never came was paid for in vain', async () => {
    const discarded = new DiscardedSpend();
    await server.push(textAnswer('They talked.'), errorAnswer(401, 'no'));
    await failureOf(inputOf(small('summarise'), { transcript: turns(6, 900), discarded }), recordedPorts());
    expect(discarded.total).toMatchObject({ usage: { total: 15 }, cost: { isKnown: false } });
  });

  test('R41: where no summary can be had the old turns leave without one', async () => {
    await server.push(errorAnswer(500, 'down'), textAnswer('ok'));
    const found = await answerOf(inputOf(small('summarise'), { transcript: turns(6, 900) }), recordedPorts());
    expect(found.metadata.context_view).toEqual({ fromSeq: expect.any(Number) as number });
  });

  test('R41: after a refusal for length once more with less, and then the end', async () => {
    const refused = () => errorAnswer(400, { message: 'prompt is too long: 5000 tokens > 4096 maximum' });
    await server.push(refused(), textAnswer('ok'));
    const found = agent({ context: { kind: 'drop-oldest', keepTurns: 1 } });
    await answerOf(inputOf(found, { transcript: turns(6, 900) }), recordedPorts());
    expect((await bodies()).map((body) => body.messages.length)).toEqual([13, 3]);

    await server.clear();
    await server.push({ ...refused(), times: 'always' });
    expect((await failureOf(inputOf(found, { transcript: turns(6, 900) }), recordedPorts())).kind).toBe('context-limit');
    expect(await server.journal()).toHaveLength(2);
  });

  test('R41: without a strategy a refusal is the end at once', async () => {
    await server.push(errorAnswer(400, { message: 'prompt is too long: 5000 tokens > 4096 maximum' }));
    await failureOf(inputOf(agent(), { transcript: turns(6, 900) }), recordedPorts());
    expect(await server.journal()).toHaveLength(1);
  });
});
