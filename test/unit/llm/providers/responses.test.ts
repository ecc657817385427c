import type { ModelSettings } from '../../../../src/agents/agent';
import { isSolidLoopError } from '../../../../src/domain/errors';
import type { TranscriptMessage } from '../../../../src/domain/message';
import { runLlmTurn } from '../../../../src/llm/run-llm-turn';
import { buildResponsesRequest } from '../../../../src/llm/providers/responses/build-responses-request';
import { errorAnswer, rawAnswer } from '../../../../src/testing/scripted-answers';
import { startScriptedModel, type ScriptedModel } from '../../../../src/testing/scripted-model';
import { call, calls, offered, result, tool, user } from '../support/transcript';
import { agentOf, answerOf, failureOf, inputOf, recordedPorts } from '../support/turn';

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel();
});
beforeEach(() => server.clear());
afterAll(() => server.stop());

const model = (fields: Partial<ModelSettings> = {}): ModelSettings => ({
  name: 'gpt-5',
  api: 'responses',
  baseURL: server.baseURL,
  ...fields,
});
const agent = (fields: Partial<ModelSettings> = {}) => agentOf({ model: model(fields), tools: [tool('add')] });

type Event = Readonly<Record<string, unknown>> & { readonly type: string };
const events = (...list: readonly Event[]) => rawAnswer(list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));

const usage = {
  input_tokens: 20,
  output_tokens: 9,
  total_tokens: 29,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens_details: { reasoning_tokens: 5 },
};
const created: Event = {
  type: 'response.created',
  response: { id: 'resp_1', object: 'response', status: 'in_progress', error: null, output: [] },
};
const completed = (fields: Record<string, unknown> = {}): Event => ({
  type: 'response.completed',
  response: { id: 'resp_1', object: 'response', model: 'gpt-5-2026', status: 'completed', error: null, output: [], usage, ...fields },
});

describe('the Responses API', () => {
  test('R34: text in pieces is one answer, with its counts, and shows while it comes', async () => {
    const ports = recordedPorts();
    await server.push(
      events(
        created,
        { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg_1', role: 'assistant', content: [] } },
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta: 'Hel' },
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta: 'lo' },
        { type: 'response.output_text.done', output_index: 0, content_index: 0, item_id: 'msg_1', text: 'Hello' },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
        },
        completed({ output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }] }),
      ),
    );
    const found = await answerOf(inputOf(agent()), ports);
    expect(found).toMatchObject({
      content: 'Hello',
      calls: [],
      usage: { prompt: 20, completion: 9, total: 29, promptCached: 4, reasoning: 5 },
      metadata: { model: 'gpt-5-2026', finish_reason: 'stop' },
    });
    expect(ports.parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : [])).join('')).toBe('Hello');
    expect((await server.journal())[0]?.path).toMatch(/\/v1\/responses$/);
  });

  test('R34: calls in pieces are calls, and thoughts are kept to be given back sealed', async () => {
    const reasoning = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Add them.' }],
      encrypted_content: 'c2VhbGVk',
    };
    const added = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: '' };
    await server.push(
      events(
        created,
        { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Add ' },
        { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'them.' },
        { type: 'response.output_item.done', output_index: 0, item: reasoning },
        { type: 'response.output_item.added', output_index: 1, item: added },
        { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":' },
        { type: 'response.function_call_arguments.delta', output_index: 1, delta: '1}' },
        { type: 'response.output_item.done', output_index: 1, item: { ...added, arguments: '{"a":1}' } },
        completed({ output: [reasoning, { ...added, arguments: '{"a":1}' }] }),
      ),
    );
    const found = await answerOf(inputOf(agent()), recordedPorts());
    expect(found.calls).toMatchObject([{ kind: 'accepted', providerId: 'call_1', name: 'add', arguments: { a: 1 } }]);
    expect(found).toMatchObject({ content: null, reasoningContent: 'Add them.', metadata: { finish_reason: 'tool_calls' } });

    const toolCall = call('call_1', 'add', '{"a":1}');
    const stored = calls([toolCall], { providerExtras: found.providerExtras, metadata: found.metadata });
    const input = buildResponsesRequest({
      model: model(),
      instructions: undefined,
      transcript: [user('hi'), stored, result(toolCall, '2')],
      tools: offered('add'),
    }).input;
    expect(input).toEqual([
      { role: 'user', content: 'hi' },
      reasoning,
      { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: '2' },
    ]);
  });

  test('P34: what came only whole is taken from the end, and what came in pieces is not taken again', async () => {
    await server.push(
      events(
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi' },
        completed({
          output: [
            { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
            { type: 'function_call', call_id: 'c', name: 'add', arguments: '{}' },
          ],
        }),
      ),
    );
    expect(await answerOf(inputOf(agent()), recordedPorts())).toMatchObject({
      content: 'Hi',
      calls: [{ name: 'add', argumentsRaw: '{}' }],
    });
  });

  test('P34: items that are told by their ids alone are taken once', async () => {
    const item = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'add' };
    const message = { id: 'msg_1', type: 'message', role: 'assistant' };
    await server.push(
      events(
        { type: 'response.output_item.added', item: { ...message, content: [] } },
        { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'I ' },
        { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'add.' },
        { type: 'response.output_item.done', item: { ...message, content: [{ type: 'output_text', text: 'I add.' }] } },
        { type: 'response.output_item.added', item: { ...item, arguments: '' } },
        { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: '{"a":' },
        { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: '1}' },
        { type: 'response.output_item.done', item: { ...item, arguments: '{"a":1}' } },
        completed({
          output: [
            { ...message, content: [{ type: 'output_text', text: 'I add.' }] },
            { ...item, arguments: '{"a":1}' },
          ],
        }),
      ),
    );
    const found = await answerOf(inputOf(agent()), recordedPorts());
    expect(found.content).toBe('I add.');
    expect(found.calls).toMatchObject([{ providerId: 'call_1', arguments: { a: 1 } }]);
    expect(found.calls).toHaveLength(1);
  });

  test('P34: ids that a gateway makes anew in each event do not double an item', async () => {
    const item = { type: 'function_call', call_id: 'call_1', name: 'add' };
    await server.push(
      events(
        { type: 'response.output_item.added', output_index: 0, item: { ...item, id: 'x1', arguments: '' } },
        { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'x2', delta: '{"a":1}' },
        { type: 'response.output_item.done', output_index: 0, item: { ...item, id: 'x3', arguments: '{"a":1}' } },
        completed({ output: [{ ...item, id: 'x4', arguments: '{"a":1}' }] }),
      ),
    );
    expect((await answerOf(inputOf(agent()), recordedPorts())).calls).toHaveLength(1);
  });

  test('P13: a response in one piece is the same', async () => {
    const body = {
      id: 'resp_1',
      object: 'response',
      model: 'gpt-5',
      status: 'completed',
      error: null,
      usage,
      output: [
        { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] },
        { type: 'function_call', call_id: 'c', name: 'add', arguments: '{"a":1}' },
      ],
    };
    await server.push(rawAnswer([JSON.stringify(body)]));
    expect(await answerOf(inputOf(agent({ stream: false })), recordedPorts())).toMatchObject({
      content: 'Hello',
      calls: [{ arguments: { a: 1 } }],
      usage: { total: 29 },
    });
  });

  test.each([
    ['max_output_tokens', /output limit/],
    ['content_filter', /content filter/],
  ])('P40, P106: an answer cut by %s says so', async (reason, message) => {
    await server.push(
      events(
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Part' },
        { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason }, output: [], usage } },
      ),
    );
    const found = await answerOf(inputOf(agent()), recordedPorts());
    expect(found.content).toBe('Part');
    expect(found.errorMessage).toMatch(message);
  });

  test('P10: a response that failed is an error of its class', async () => {
    await server.push(
      events(created, { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'worker lost' } } }),
    );
    await expect(runLlmTurn(inputOf(agent()), recordedPorts())).rejects.toThrow(/worker lost/);
    await server.push(
      events(created, {
        type: 'response.failed',
        response: {
          status: 'failed',
          error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' },
        },
      }),
    );
    expect((await failureOf(inputOf(agent()), recordedPorts())).kind).toBe('context-limit');
  });

  test('P9: a stream that ends before its end is no answer', async () => {
    await server.push(events(created, { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Ha' }));
    const error: unknown = await runLlmTurn(inputOf(agent()), recordedPorts()).catch((caught: unknown) => caught);
    expect(isSolidLoopError(error, 'ProviderRetryable')).toBe(true);
  });

  test('R41: an HTTP error is classified like any other', async () => {
    await server.push(errorAnswer(400, { message: 'bad' }));
    expect((await failureOf(inputOf(agent()), recordedPorts())).message).toBe('HTTP 400: {"error":{"message":"bad"}}');
  });
});

describe('a Responses request', () => {
  const bodyOf = (transcript: readonly TranscriptMessage[], fields: Partial<ModelSettings> = {}) =>
    buildResponsesRequest({ model: { ...model(), ...fields }, instructions: 'Be brief.', transcript, tools: offered('add') });

  test("R32: instructions, input and tools in that API's words, and nothing kept there", () => {
    expect(bodyOf([user('hi')])).toEqual({
      store: false,
      include: ['reasoning.encrypted_content'],
      model: 'gpt-5',
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'hi' }],
      tools: [{ type: 'function', name: 'add', description: 'does add', parameters: { type: 'object', properties: {} }, strict: false }],
      stream: true,
    });
  });

  test('P80: images go as input images', () => {
    const withImage = user('look', {
      contentParts: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'https://pictures.test/a.png' } },
      ],
    });
    expect(bodyOf([withImage], { vision: true }).input).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: 'https://pictures.test/a.png', detail: 'auto' },
        ],
      },
    ]);
  });

  test("R32: the agent's own words on the text stay beside the form, whose name is one that is accepted", () => {
    const source = {
      model: model({ parameters: { text: { verbosity: 'low' } } }),
      instructions: undefined,
      transcript: [user('hi')],
      tools: [],
      output: { name: 'my form', schema: { type: 'object' } },
    };
    expect(buildResponsesRequest(source).text).toEqual({
      verbosity: 'low',
      format: { type: 'json_schema', name: 'my_form', schema: { type: 'object' } },
    });
  });

  test('P91: without tools nothing is said of their choice', () => {
    const source = {
      model: model({ parameters: { tool_choice: 'auto', parallel_tool_calls: false } }),
      instructions: undefined,
      transcript: [user('hi')],
    };
    const without = buildResponsesRequest({ ...source, tools: [] });
    expect(without).not.toHaveProperty('tool_choice');
    expect(without).not.toHaveProperty('parallel_tool_calls');
    expect(buildResponsesRequest({ ...source, tools: offered('add') })).toMatchObject({ tool_choice: 'auto', parallel_tool_calls: false });
  });

  test('R32: a form for the answer is the text format', () => {
    const output = { name: 'v', schema: { type: 'object' } };
    expect(buildResponsesRequest({ model: model(), instructions: undefined, transcript: [user('x')], tools: [], output }).text).toEqual({
      format: { type: 'json_schema', ...output },
    });
  });
});
