import { classifyProviderError } from '../../../../src/llm/errors/classify-provider-error';
import { eventOf, rawAnswer, textAnswer } from '../../../../src/testing/scripted-answers';
import type { ScriptStep } from '../../../../src/testing/script';
import { startScriptedModel, type ScriptedModel } from '../../../../src/testing/scripted-model';
import { OBJECT_SCHEMA, WireTurns } from './support/wire-turn';

let model: ScriptedModel;
let turns: WireTurns;
beforeAll(async () => {
  model = await startScriptedModel();
  turns = new WireTurns(model);
});
afterEach(() => model.clear());
afterAll(async () => {
  await turns.clients.close();
  await model.stop();
});

const content = (text: string, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: { content: text }, finish_reason: finish }],
});
const DONE = 'data: [DONE]\n\n';
const hex = (data: string): ScriptStep => ({
  kind: 'write',
  data: Buffer.from(data.replaceAll(' ', ''), 'hex').toString('base64'),
  encoding: 'base64',
});
const isRetryable = (error: unknown): boolean => classifyProviderError(error, { now: Date.now() })?.kind === 'retryable';

const answered = async (...pieces: readonly (string | ScriptStep)[]) => {
  await model.push(rawAnswer(pieces));
  return (await turns.run()).answer;
};

test('P1: events that end in CRLF are seen as they come', async () => {
  await model.push(
    rawAnswer([
      'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\r\n\r\n',
      { kind: 'wait', gate: 'first delta seen' },
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\r\n\r\n',
    ]),
  );
  const { answer } = await turns.run({ onPart: () => void model.release('first delta seen') });
  expect(answer).toMatchObject({ content: 'Hi', metadata: { finish_reason: 'stop' } });
  expect(await model.journal()).toHaveLength(1);
});

test('P2: a CRLF cut between two chunks is one line end, and a lone CR is one as well', async () => {
  expect(await answered('data: {"choices":[{"index":0,"delta":{"content":"A"}}]}\r', '\n\r', '\ndata: [DONE]\r\n\r\n')).toMatchObject({
    content: 'A',
  });
  expect(
    await answered(`data: ${JSON.stringify(content('A'))}\r\rdata: ${JSON.stringify(content('B', 'stop'))}\r\rdata: [DONE]\r\r`),
  ).toMatchObject({ content: 'AB' });
});

test('P4: a keep-alive in data and empty data are passed over', async () => {
  expect(await answered('data: : keepalive\n\ndata:\n\n', eventOf(content('x', 'stop')), DONE)).toMatchObject({ content: 'x' });
});

test('P4: other data that is no JSON ends the attempt, to come again', async () => {
  await model.push(rawAnswer([eventOf(content('x')), 'data: {"choices":[{"ind\n\n', eventOf(content('y', 'stop')), DONE]));
  const error = await turns.fail();
  expect(error).toMatchObject({ kind: 'stream', message: expect.stringContaining('{"choices":[{"ind') as string });
  expect(isRetryable(error)).toBe(true);
});

test('P4: an event that is named a ping holds nothing, whatever its data', async () => {
  expect(await answered('event: ping\ndata: 2026-01-01\n\n', eventOf(content('x', 'stop')), DONE)).toMatchObject({ content: 'x' });
});

test('P5: data without a space, and data over several lines', async () => {
  const answer = await answered(
    'data:{"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
    'data: {"choices":[{"index":0,\ndata: "delta":{"content":"b"},"finish_reason":"stop"}]}\n\ndata:[DONE]\n\n',
  );
  expect(answer).toMatchObject({ content: 'ab' });
});

test('P5: events that no blank line parts, and data that is framed twice', async () => {
  const [first, second] = [JSON.stringify(content('a')), JSON.stringify(content('b', 'stop'))];
  expect(await answered(`data: ${first}\n`, `data: ${second}\ndata: [DONE]\n`)).toMatchObject({ content: 'ab' });
  expect(await answered(`data: data: ${first}\ndata: \ndata: \n\n`, `data: data: ${second}\n\n`)).toMatchObject({ content: 'ab' });
});

test('P7: a character cut between chunks is whole in content and in arguments', async () => {
  const text = await answered(
    'data: {"choices":[{"index":0,"delta":{"content":"caf',
    hex('C3'),
    hex('A9 20 F0 9F'),
    hex('99 82'),
    '"},"finish_reason":"stop"}]}\n\n',
    DONE,
  );
  expect(text.content).toBe('café 🙂');
  await model.push(
    rawAnswer([
      'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"p","function":{"name":"f","arguments":"{\\"p\\":\\"',
      hex('F0 9F'),
      hex('99 82'),
      '\\"}"}}]},"finish_reason":"tool_calls"}]}\n\n',
      DONE,
    ]),
  );
  expect((await turns.run({ tools: { f: OBJECT_SCHEMA } })).answer.calls).toMatchObject([{ kind: 'accepted', arguments: { p: '🙂' } }]);
});

test('P7: an emoji in two escapes of two deltas is one character, live and at the end', async () => {
  await model.push(
    rawAnswer([
      String.raw`data: {"choices":[{"delta":{"content":"a\uD83D"}}]}` + '\n\n',
      String.raw`data: {"choices":[{"delta":{"content":"\uDE42"},"finish_reason":"stop"}]}` + '\n\n',
      DONE,
    ]),
  );
  const turn = await turns.run();
  expect(turn.answer.content).toBe('a🙂');
  expect(turn.parts).toEqual([
    { type: 'text-delta', text: 'a' },
    { type: 'text-delta', text: '🙂' },
  ]);
});

test('P8: the last event needs no blank line', async () => {
  const answer = await answered(
    eventOf(content('end')),
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}',
  );
  expect(answer).toMatchObject({ content: 'end', metadata: { finish_reason: 'stop' }, usage: { prompt: 5, completion: 1 } });
});

test('P8: a last event that is cut means an interrupted answer', async () => {
  await model.push(rawAnswer([eventOf(content('end')), 'data: {"choices":[{"index":0,"delta":{},"finish_rea']));
  expect(isRetryable(await turns.fail())).toBe(true);
});

test.each([
  ['an object', { error: { message: 'worker lost', code: 502 } }],
  ['a text', { error: 'worker lost' }],
  ['flat', { object: 'error', message: 'worker lost', code: 500 }],
  ['beside choices', { choices: [], error: { message: 'worker lost' } }],
  ['in a list', [{ error: { message: 'worker lost', code: 503 } }]],
  ['in a list of errors', { success: false, errors: [{ message: 'worker lost', code: 500 }] }],
  ['in a choice', { choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { message: 'worker lost' } }] }],
])('P10: an error in the middle of a stream is one (%s)', async (_name, body) => {
  await model.push(rawAnswer([eventOf(content('so far')), eventOf(body), DONE]));
  const error = await turns.fail();
  expect(error.message).toContain('worker lost');
  expect(isRetryable(error)).toBe(true);
  expect(turns.wire[0]?.outcome?.error).toContain('worker lost');
});

test.each([
  ['on one line', '{"error":{"message":"worker lost","code":503}}\n\n'],
  ['over several lines', '[{\n  "error": {\n    "message": "worker lost",\n    "code": 503\n  }\n}]\n'],
  ['under a field of its own', 'error: {"code":503,"message":"worker lost"}\n\n'],
])('P10: an error without the data field is one as well, also before [DONE] (%s)', async (_name, text) => {
  for (const end of ['', DONE]) {
    await model.push(rawAnswer([eventOf(content('so far')), text, end]));
    const error = await turns.fail();
    expect(error.message).toContain('worker lost');
    expect(classifyProviderError(error, { now: 0 })).toMatchObject({ kind: 'retryable', reason: 'overloaded' });
  }
});

test('P10, P103: a page in the middle of a stream is told, and comes again', async () => {
  await model.push(rawAnswer([eventOf(content('so far')), '<html><body>502 Bad Gateway</body></html>\n']));
  const error = await turns.fail();
  expect(error.message).toContain('502 Bad Gateway');
  expect(isRetryable(error)).toBe(true);
});

test('P11: an error event with a flat payload or a plain text', async () => {
  await model.push(rawAnswer(['event: error\ndata: {"type":"overloaded_error","message":"try later"}\n\n']));
  const overloaded = await turns.fail();
  expect(overloaded.message).toContain('try later');
  expect(classifyProviderError(overloaded, { now: 0 })).toMatchObject({ kind: 'retryable', reason: 'overloaded' });
  await model.push(rawAnswer(['event: error\ndata: upstream closed\n\n']));
  expect((await turns.fail()).message).toContain('upstream closed');
});

const WHOLE = {
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
};

test.each(['application/json', 'text/event-stream'])(
  'P13: a whole completion instead of a stream is read by its body, under %s',
  async (type) => {
    await model.push(rawAnswer([{ kind: 'head', headers: { 'content-type': type } }, ` \n${JSON.stringify(WHOLE)}`]));
    const { answer } = await turns.run({ tools: { add: OBJECT_SCHEMA } });
    expect(answer.calls).toMatchObject([{ kind: 'accepted', providerId: 'c1', arguments: { a: 1 } }]);
    expect(answer.usage).toMatchObject({ prompt: 9, completion: 4, total: 13 });
  },
);

test('P13: with stream off the whole answer is asked for and read', async () => {
  await model.push(rawAnswer([{ kind: 'head', headers: { 'content-type': 'application/json' } }, JSON.stringify(WHOLE)]));
  const { answer } = await turns.run({ tools: { add: OBJECT_SCHEMA }, request: { stream: false }, model: { stream: false } });
  expect(answer.calls).toHaveLength(1);
});

test('P13: a whole body that is cut is no answer', async () => {
  await model.push(rawAnswer([{ kind: 'head', headers: { 'content-type': 'application/json' } }, JSON.stringify(WHOLE).slice(0, -20)]));
  expect(isRetryable(await turns.fail())).toBe(true);
});

const EMPTY_BODIES: readonly (readonly [string, readonly (string | ScriptStep)[]])[] = [
  ['no bytes', [{ kind: 'head' }]],
  ['[DONE] only', [DONE]],
  ['a role, then [DONE]', [eventOf({ choices: [{ index: 0, delta: { role: 'assistant' } }] }), DONE]],
  ['comments only', [': ping\n\n', ': ping\n\n']],
  ['a completion without choices', [JSON.stringify({ object: 'chat.completion', choices: [], usage: null })]],
  ['a completion whose choices are null', [JSON.stringify({ object: 'chat.completion', choices: null })]],
];

test.each(EMPTY_BODIES)('P14: an empty response is an error that comes again (%s)', async (_name, pieces) => {
  await model.push(rawAnswer(pieces));
  const error = await turns.fail();
  expect(error).toMatchObject({ kind: 'empty', message: expect.stringContaining('empty') as string });
  expect(isRetryable(error)).toBe(true);
});

test('P14: with a finish reason an empty answer is one, and says so', async () => {
  const answer = await answered(eventOf({ choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: 'stop' }] }), DONE);
  expect(answer).toMatchObject({ content: null, calls: [], errorMessage: expect.stringContaining('no answer') as string });
});

test('P16: after [DONE] the answer is there, though the socket stays open', async () => {
  expect(await answered(eventOf(content('ok', 'stop')), DONE, { kind: 'hold' })).toMatchObject({ content: 'ok' });
  await model.waitUntil((entries) => entries[0]?.outcome === 'client-aborted');
});

test('P16: after the finish reason usage is waited for, and not for ever', async () => {
  const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } };
  const answer = await answered(eventOf(content('ok', 'stop')), { kind: 'delay', milliseconds: 50 }, eventOf(usage), { kind: 'hold' });
  expect(answer).toMatchObject({ content: 'ok', usage: { completion: 2 } });
  const start = performance.now();
  expect(await answered(eventOf(content('no counts', 'stop')), { kind: 'hold' })).toMatchObject({
    content: 'no counts',
    usage: { completion: null },
  });
  expect(performance.now() - start).toBeLessThan(6_000);
});

test('P16: a server that gives a finish reason and counts with every piece is read to its end', async () => {
  const piece = (text: string, completion: number): string =>
    eventOf({ ...content(text, 'stop'), usage: { prompt_tokens: 3, completion_tokens: completion, total_tokens: 3 + completion } });
  const pause: ScriptStep = { kind: 'delay', milliseconds: 700 };
  expect(await answered(piece('one ', 1), pause, piece('two ', 2), pause, piece('three', 3), pause, DONE)).toMatchObject({
    content: 'one two three',
    usage: { completion: 3 },
  });
});

test('P95, P103: a page under 200 is no answer, and the base URL is named', async () => {
  await model.push(
    rawAnswer([
      { kind: 'head', headers: { 'content-type': 'text/html' } },
      '<html><head><title>Log in</title></head><body>Please</body></html>',
    ]),
  );
  const error = await turns.fail();
  expect(error).toMatchObject({ kind: 'protocol', message: expect.stringMatching(/check the base URL.*Log in/) as string });
  expect(isRetryable(error)).toBe(false);
});

test('R34: lines of JSON without any framing are chunks', async () => {
  await model.push(rawAnswer([`${JSON.stringify(content('a'))}\n${JSON.stringify(content('b', 'stop'))}\n`]));
  expect((await turns.run()).answer.content).toBe('ab');
});

test('R42: a streamed error body is kept whole, with its status and headers', async () => {
  await model.push(
    rawAnswer([
      { kind: 'head', status: 400, headers: { 'x-request-id': 'r1' } },
      '{"error":{"mess',
      { kind: 'delay', milliseconds: 20 },
      'age":"bad thing","code":"bad"}}',
    ]),
  );
  const error = await turns.fail();
  expect(error).toMatchObject({ kind: 'http', status: 400, body: '{"error":{"message":"bad thing","code":"bad"}}', providerCode: 'bad' });
  expect(error.headers['x-request-id']).toBe('r1');
  expect(error.message).toBe('HTTP 400: {"error":{"message":"bad thing","code":"bad"}}');
});

test('R42: a long error body is cut at 8,192 characters with a note', async () => {
  await model.push(rawAnswer([{ kind: 'head', status: 500 }, 'timed out '.repeat(2_000)]));
  const error = await turns.fail();
  expect(error.body).toHaveLength(8_192 + '… [cut: 11808 more characters]'.length);
});

test('R43: a request and its response are one wire event', async () => {
  await model.push(textAnswer('Hello'));
  const { wire } = await turns.run({ request: { temperature: 0.5 } });
  expect(wire).toHaveLength(1);
  expect(wire[0]).toMatchObject({
    request: {
      kind: 'llm-request',
      method: 'POST',
      url: `${model.baseURL}/chat/completions`,
      parameters: { model: 'asked-model', temperature: 0.5 },
      messages: [{ role: 'user' }],
    },
    outcome: { status: 200, response: { message: { content: 'Hello' }, finish_reason: 'stop' } },
  });
});

test('P109: the client sends one request, whatever the answer', async () => {
  await model.push(rawAnswer([{ kind: 'head', status: 503 }, 'overloaded'], { times: 'always' }));
  await turns.fail();
  expect(await model.journal()).toHaveLength(1);
});

test('R84, P95: nothing is put between the base URL and the path', async () => {
  for (const base of ['/api/paas/v4', '/v1beta/openai', '/v2/', '']) {
    await model.push(textAnswer('Hello'));
    await turns.run({ model: { baseURL: `${new URL(model.baseURL).origin}${base}` } });
  }
  expect((await model.journal()).map((entry) => entry.path)).toEqual([
    '/api/paas/v4/chat/completions',
    '/v1beta/openai/chat/completions',
    '/v2/chat/completions',
    '/chat/completions',
  ]);
});

test("R42: without a key no authorization is sent, and an agent's headers are", async () => {
  await model.push(textAnswer('Hello'));
  const { apiKey: _key, ...keyless } = { apiKey: undefined, headers: { 'x-api-key': 'secret' } };
  await turns.run({ model: { ...keyless, apiKey: undefined as never } });
  const [entry] = await model.journal();
  expect(entry?.headers).not.toHaveProperty('authorization');
  expect(entry?.headers).toMatchObject({ 'x-api-key': 'secret' });
});
