import type { ParsedCall } from '../../../../src/domain/turn';
import { classifyProviderError } from '../../../../src/llm/errors/classify-provider-error';
import { deltaAnswer, eventOf, rawAnswer } from '../../../../src/testing/scripted-answers';
import { startScriptedModel, type ScriptedModel } from '../../../../src/testing/scripted-model';
import { OBJECT_SCHEMA, WireTurns, type TurnOptions } from './support/wire-turn';

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

const TOOLS = Object.fromEntries(['f', 'g', 'now', 'read_file', 'write', 'search', 'open'].map((name) => [name, OBJECT_SCHEMA]));
const NEEDS_A = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };

const calls = (...entries: readonly object[]): object => ({ tool_calls: entries });
const chunk = (choice: object): string => eventOf({ choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }] });
const DONE = 'data: [DONE]\n\n';

async function turnOf(deltas: readonly object[], { finish = 'tool_calls', ...options }: TurnOptions & { readonly finish?: string } = {}) {
  await model.push(deltaAnswer(deltas, { finishReason: finish }));
  return turns.run({ tools: TOOLS, ...options });
}

async function callsOf(deltas: readonly object[], options: Parameters<typeof turnOf>[1] = {}): Promise<readonly ParsedCall[]> {
  return (await turnOf(deltas, options)).answer.calls;
}

const accepted = (name: string, args: object, providerId?: string): object => ({
  kind: 'accepted',
  name,
  arguments: args,
  ...(providerId === undefined ? {} : { providerId }),
});
const NINE = /^[A-Za-z0-9]{9}$/;

test('P17: calls without an index are told apart by their ids, and by their places in one chunk', async () => {
  const pieces = [
    calls({ id: 'p', type: 'function', function: { name: 'f', arguments: '{"a":' } }),
    calls({ function: { arguments: '1}' } }),
    calls({ id: 'q', type: 'function', function: { name: 'f', arguments: '{"a":2}' } }),
  ];
  expect(await callsOf(pieces)).toMatchObject([accepted('f', { a: 1 }, 'p'), accepted('f', { a: 2 }, 'q')]);
  const whole = calls(
    { id: 'p', function: { name: 'f', arguments: '{"a":1}' } },
    { id: 'q', function: { name: 'f', arguments: '{"a":2}' } },
  );
  expect(await callsOf([whole])).toMatchObject([accepted('f', { a: 1 }, 'p'), accepted('f', { a: 2 }, 'q')]);
  const nameless = calls({ function: { name: 'f', arguments: '{"a":1}' } }, { function: { name: 'g', arguments: '{}' } });
  expect(await callsOf([nameless])).toMatchObject([accepted('f', { a: 1 }), accepted('g', {})]);
});

test('P17: index 0 for every call, as some gateways send it, does not glue them', async () => {
  const deltas = [
    calls({ index: 0, id: 'p', function: { name: 'f', arguments: '{"a":1}' } }),
    calls({ index: 0, id: 'q', function: { name: 'f', arguments: '{"a":2}' } }),
  ];
  expect(await callsOf(deltas)).toMatchObject([accepted('f', { a: 1 }, 'p'), accepted('f', { a: 2 }, 'q')]);
});

test('P17: index 0 for every call does not glue calls that come in pieces', async () => {
  const deltas = [
    calls({ index: 0, id: 'p', function: { name: 'f', arguments: '' } }),
    calls({ index: 0, function: { arguments: '{"a":1}' } }),
    calls({ index: 0, id: 'q', function: { name: 'f', arguments: '' } }),
    calls({ index: 0, function: { arguments: '{"a":2}' } }),
  ];
  expect(await callsOf(deltas)).toMatchObject([accepted('f', { a: 1 }, 'p'), accepted('f', { a: 2 }, 'q')]);
});

test('P19: indexes from 1 and with holes leave no holes', async () => {
  const deltas = [
    calls({ index: 1, id: 'p', type: 'function', function: { name: 'f', arguments: '{}' } }),
    calls({ index: 3, id: 'q', type: 'function', function: { name: 'g', arguments: '{}' } }),
  ];
  const { answer } = await turnOf(deltas);
  expect(answer.calls).toMatchObject([accepted('f', {}, 'p'), accepted('g', {}, 'q')]);
  expect(answer.toolCallsRaw).toHaveLength(2);
});

test('P20: a name that is repeated in each chunk is one name', async () => {
  const deltas = ['{"path"', ':"a', '"}'].map((text) => calls({ index: 0, id: 'p', function: { name: 'read_file', arguments: text } }));
  expect(await callsOf(deltas)).toMatchObject([accepted('read_file', { path: 'a' }, 'p')]);
  const unindexed = ['{"path"', ':"a', '"}'].map((text) => calls({ function: { name: 'read_file', arguments: text } }));
  expect(await callsOf(unindexed)).toMatchObject([accepted('read_file', { path: 'a' })]);
});

test('P20: a whole call that comes a second time is the same call', async () => {
  const whole = { index: 0, id: 'p', function: { name: 'f', arguments: '{"a":1}' } };
  expect(
    await callsOf([
      calls({ ...whole, function: { name: 'f', arguments: '{"a":' } }),
      calls({ index: 0, function: { arguments: '1}' } }),
      calls(whole),
    ]),
  ).toHaveLength(1);
});

test('P20: a whole call that comes a second time is the same call, however it is spaced', async () => {
  const whole = (text: string): object => calls({ index: 0, id: 'p', function: { name: 'f', arguments: text } });
  expect(await callsOf([whole('{"a":1}'), whole('{ "a": 1 }')])).toMatchObject([accepted('f', { a: 1 }, 'p')]);
});

test('P22: the first id and name that are not empty win', async () => {
  const deltas = [
    calls({ index: 0, id: 'x1', type: 'function', function: { name: 'f', arguments: '{"q":' } }),
    calls({ index: 0, id: 'x2', function: { name: null, arguments: '"z"' } }),
    calls({ index: 0, id: '', function: { name: '', arguments: '}' } }),
  ];
  expect(await callsOf(deltas)).toMatchObject([accepted('f', { q: 'z' }, 'x1')]);
});

test('P22: an id that changes with each piece opens no call at the end', async () => {
  const deltas = ['{"a":', '1}', ''].map((text, place) => calls({ index: 0, id: `x${place}`, function: { name: 'f', arguments: text } }));
  expect(await callsOf(deltas)).toMatchObject([accepted('f', { a: 1 }, 'x0')]);
});

test('P23, P76: calls without ids get nine letters or digits each', async () => {
  const found = await callsOf([
    calls({ index: 0, function: { name: 'f', arguments: '{}' } }),
    calls({ index: 1, id: null, function: { name: 'g', arguments: '{}' } }),
  ]);
  expect(found).toMatchObject([accepted('f', {}), accepted('g', {})]);
  const ids = found.map((call) => call.providerId);
  expect(ids).toEqual([expect.stringMatching(NINE), expect.stringMatching(NINE)]);
  expect(new Set(ids).size).toBe(2);
});

test('P74: an id that two calls of one message have is given once', async () => {
  const found = await callsOf([
    calls(
      { index: 0, id: 'same', function: { name: 'f', arguments: '{}' } },
      { index: 1, id: 'same', function: { name: 'g', arguments: '{}' } },
    ),
  ]);
  expect(found.map((call) => call.providerId)).toEqual(['same', expect.stringMatching(NINE)]);
});

test('P25: arguments as an object are run, and kept as text', async () => {
  const { answer } = await turnOf([
    calls({ index: 0, id: 'p', type: 'function', function: { name: 'f', arguments: { city: 'Oslo', n: 2 } } }),
  ]);
  expect(answer.calls).toMatchObject([{ ...accepted('f', { city: 'Oslo', n: 2 }), argumentsRaw: '{"city":"Oslo","n":2}' }]);
  expect(
    await callsOf([
      calls({ index: 0, id: 'p', function: { name: 'f', arguments: '' } }),
      calls({ index: 0, function: { arguments: { a: 1 } } }),
    ]),
  ).toMatchObject([accepted('f', { a: 1 })]);
});

test.each([
  ['parameters', { id: 'p', type: 'function', function: { name: 'f', parameters: { a: 1 } } }],
  ['input', { id: 'p', type: 'tool_use', name: 'f', input: { a: 1 } }],
  ['parameters beside empty arguments', { id: 'p', type: 'function', function: { name: 'f', arguments: '', parameters: { a: 1 } } }],
  ['custom', { id: 'p', type: 'custom', custom: { name: 'f', input: '{"a":1}' } }],
])('P25: arguments under another name are not lost (%s)', async (_name, entry) => {
  expect(await callsOf([calls({ index: 0, ...entry })])).toMatchObject([accepted('f', { a: 1 }, 'p')]);
});

test.each([
  [{ name: 'now', arguments: '' }],
  [{ name: 'now', arguments: null }],
  [{ name: 'now' }],
  [{ name: 'now', arguments: '  ' }],
  [{ name: 'now', arguments: 'null' }],
  [{ name: 'now', arguments: '""' }],
  [{ name: 'now', arguments: '"null"' }],
])('P26: arguments that say nothing are an empty object (%j)', async (body) => {
  expect(await callsOf([calls({ index: 0, id: 'p', function: body })])).toMatchObject([accepted('now', {})]);
});

test('P26: where arguments are required, the missing ones are named', async () => {
  const [call] = await callsOf([calls({ index: 0, id: 'p', function: { name: 'add', arguments: '' } })], { tools: { add: NEEDS_A } });
  expect(call).toMatchObject({ kind: 'rejected', answer: expect.stringContaining("must have required property 'a'") as string });
});

test.each(['[]', '3', '"text"'])('P26: arguments %s are told to be an object', async (text) => {
  const [call] = await callsOf([calls({ index: 0, id: 'p', function: { name: 'f', arguments: text } })]);
  expect(call).toMatchObject({
    kind: 'rejected',
    argumentsRaw: text,
    answer: expect.stringContaining('arguments must be a JSON object') as string,
  });
});

test('P28: a continuation under another index belongs to the call before it', async () => {
  const deltas = [
    calls({ index: 0, id: 'p', type: 'function', function: { name: 'f', arguments: '{"k":' } }),
    calls({ index: 1, function: { arguments: '5}' } }),
  ];
  expect(await callsOf(deltas)).toMatchObject([accepted('f', { k: 5 }, 'p')]);
});

test.each([undefined, 'f'])('P28: a server that counts its chunks instead of its calls (name %s)', async (name) => {
  const deltas = ['{"k":', '5', '}'].map((text, index) =>
    calls({ index, id: 'p', function: { name: index === 0 ? 'f' : name, arguments: text } }),
  );
  expect(await callsOf(deltas)).toMatchObject([accepted('f', { k: 5 }, 'p')]);
});

test('P28: a name that follows later makes it a call of its own', async () => {
  const deltas = [
    calls({ index: 0, id: 'p', function: { name: 'f', arguments: '{}' } }),
    calls({ index: 1, function: { arguments: '{"k":' } }),
    calls({ index: 1, id: 'q', function: { name: 'g', arguments: '5}' } }),
  ];
  expect(await callsOf(deltas)).toMatchObject([accepted('f', {}, 'p'), accepted('g', { k: 5 }, 'q')]);
});

test('P29: two entries of one index in one chunk are one call', async () => {
  const deltas = [
    calls({ index: 0, id: 'p', type: 'function', function: { name: 'f', arguments: '' } }, { index: 0, function: { arguments: '{"a"' } }),
    calls({ index: 0, function: { arguments: ':1}' } }),
  ];
  expect(await callsOf(deltas)).toMatchObject([accepted('f', { a: 1 }, 'p')]);
});

test('P31: without a role, with null and empty deltas, the text is the text', async () => {
  await model.push(
    rawAnswer([
      chunk({ delta: { content: null } }),
      chunk({ delta: { role: '', content: 'Hello' } }),
      chunk({}),
      chunk({ finish_reason: 'stop' }),
      DONE,
    ]),
  );
  const { answer, context } = await turns.run();
  expect(answer.content).toBe('Hello');
  expect(context.rawMessage).toMatchObject({ role: 'assistant', content: 'Hello' });
});

test('P32: content as a list of parts', async () => {
  const { answer } = await turnOf(
    [
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Check. ' }] }] },
      {
        content: [
          { type: 'text', text: 'Yes' },
          { type: 'reference', reference_ids: [1] },
        ],
      },
      { content: '.' },
    ],
    { finish: 'stop' },
  );
  expect(answer).toMatchObject({ content: 'Yes.', reasoningContent: 'Check. ', metadata: { ignored_parts: { reference: 1 } } });
});

test('P32: a thought as a summary, and a number, are text', async () => {
  const part = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Check.' }] };
  const { answer } = await turnOf([{ content: [part] }, { content: 42 }], { finish: 'stop' });
  expect(answer).toMatchObject({ content: '42', reasoningContent: 'Check.' });
});

test('P34: a last chunk that repeats the message adds nothing, and pieces that are alike all count', async () => {
  await model.push(
    rawAnswer([
      chunk({ delta: { content: 'Go ' } }),
      chunk({ delta: { content: 'on' } }),
      chunk({ message: { role: 'assistant', content: 'Go on' }, finish_reason: 'stop' }),
      DONE,
    ]),
  );
  expect((await turns.run()).answer.content).toBe('Go on');
  expect((await turnOf([{ content: 'ha' }, { content: 'ha' }, { content: 'ha' }], { finish: 'stop' })).answer.content).toBe('hahaha');
});

test('P34: what no delta brought is taken from the message', async () => {
  const message = {
    role: 'assistant',
    content: 'Go on',
    tool_calls: [{ id: 'p', type: 'function', function: { name: 'f', arguments: '{}' } }],
  };
  await model.push(rawAnswer([chunk({ delta: { content: 'Go on' } }), chunk({ message, finish_reason: 'stop' }), DONE]));
  expect((await turns.run({ tools: TOOLS })).answer).toMatchObject({ content: 'Go on', calls: [accepted('f', {}, 'p')] });
});

test('P34: text and calls of one message in two choices are one message', async () => {
  const call = { id: 'p', type: 'function', function: { name: 'f', arguments: '{}' } };
  const choices = [
    { message: { role: 'assistant', content: 'Go on' }, finish_reason: 'tool_calls' },
    { message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
  ];
  const expected = { content: 'Go on', calls: [accepted('f', {}, 'p')] };
  await model.push(rawAnswer([JSON.stringify({ choices })]));
  expect((await turns.run({ tools: TOOLS })).answer).toMatchObject(expected);
  const deltas = choices.map(({ message, finish_reason }) => ({ index: 0, delta: message, finish_reason }));
  await model.push(rawAnswer([eventOf({ choices: deltas }), DONE]));
  expect((await turns.run({ tools: TOOLS })).answer).toMatchObject(expected);
});

test('P34: an empty message at the end takes nothing from the one before it', async () => {
  await model.push(rawAnswer([chunk({ message: { content: 'Go on' } }), chunk({ message: { content: '' }, finish_reason: 'stop' }), DONE]));
  expect((await turns.run()).answer.content).toBe('Go on');
});

test.each(['stop', 'eos', 'end_turn', ''])('P35: calls run, whatever the finish reason says (%j)', async (finish) => {
  expect(await callsOf([calls({ index: 0, id: 'p', function: { name: 'f', arguments: '{}' } })], { finish })).toMatchObject([
    accepted('f', {}),
  ]);
});

test('P37: the old form of a call is a call', async () => {
  const deltas = [{ function_call: { name: 'f', arguments: '{"a"' } }, { function_call: { arguments: ':1}' } }];
  const [call] = await callsOf(deltas, { finish: 'function_call' });
  expect(call).toMatchObject({ ...accepted('f', { a: 1 }), providerId: expect.stringMatching(NINE) as string });
});

test('P37: the same call in both forms counts once', async () => {
  const body = { name: 'f', arguments: '{"a":1}' };
  expect(await callsOf([{ tool_calls: [{ index: 0, id: 'p', function: body }], function_call: body }])).toMatchObject([
    accepted('f', { a: 1 }, 'p'),
  ]);
});

test('P37: the same call in both forms counts once, however it is spaced, and an empty old form is none', async () => {
  const call = { tool_calls: [{ index: 0, id: 'p', function: { name: 'f', arguments: '{"a": 1}' } }] };
  expect(await callsOf([{ ...call, function_call: { name: 'f', arguments: '{"a":1}' } }])).toHaveLength(1);
  const { answer } = await turnOf([{ content: 'Hi', function_call: { name: '', arguments: '' } }], { finish: 'stop' });
  expect(answer).toMatchObject({ content: 'Hi', calls: [] });
});

test('P38: of several choices the first is the answer', async () => {
  const choice = (index: number | undefined, text: string | undefined, finish: string | null): string =>
    eventOf({ choices: [{ index, delta: text === undefined ? {} : { content: text }, finish_reason: finish }] });
  await model.push(
    rawAnswer([choice(1, 'B1', null), choice(0, 'A1', null), choice(1, undefined, 'stop'), choice(undefined, 'A2', 'stop'), DONE]),
  );
  expect((await turns.run()).answer.content).toBe('A1A2');
});

const CUT = { index: 0, id: 'p', type: 'function', function: { name: 'write', arguments: '{"path":"a","text":"lorem ip' } };

test.each(['length', 'tool_calls'])('P40: a call that is cut is not run, and the model is told so (%s)', async (finish) => {
  const [call] = await callsOf([calls(CUT)], { finish });
  expect(call).toMatchObject({
    kind: 'rejected',
    name: 'write',
    argumentsRaw: CUT.function.arguments,
    answer: expect.stringContaining('were cut off') as string,
  });
  if (finish === 'length') expect(call).toMatchObject({ answer: expect.stringContaining('output limit') as string });
});

test('P40: a call before the cut one is run; one whose arguments never began is not', async () => {
  const first = { index: 0, id: 'o', function: { name: 'f', arguments: '{"a":1}' } };
  expect(await callsOf([calls(first), calls({ ...CUT, index: 1 })], { finish: 'length' })).toMatchObject([
    accepted('f', { a: 1 }),
    { kind: 'rejected' },
  ]);
  expect(
    await callsOf([calls(first), calls({ index: 1, id: 'p', function: { name: 'now', arguments: '' } })], { finish: 'length' }),
  ).toMatchObject([{}, { kind: 'rejected' }]);
});

test('P41: a malformed call and nothing else is a failed generation, a few times', async () => {
  const script = [chunk({ delta: { role: 'assistant' }, finish_reason: 'function_call_filter: MALFORMED_FUNCTION_CALL' }), DONE];
  await model.push(rawAnswer(script, { times: 3 }));
  const error = await turns.fail();
  expect(classifyProviderError(error, { now: 0 })).toMatchObject({ kind: 'retryable' });
  await turns.fail({ turnFailures: 1 });
  expect((await turns.run({ turnFailures: 2 })).answer).toMatchObject({
    content: null,
    errorMessage: expect.stringContaining('MALFORMED_FUNCTION_CALL') as string,
  });
});

test('P42: a finish reason that names an error is one', async () => {
  await model.push(deltaAnswer([{ content: 'half' }], { finishReason: 'error' }));
  expect(await turns.fail()).toMatchObject({ kind: 'stream' });
});

test('P82: NUL and half characters do not reach the record', async () => {
  const { answer } = await turnOf([
    { content: 'a\u0000b\uD83D' },
    calls({ index: 0, id: 'p', function: { name: 'f', arguments: '{"t":"a\\u0000"}' } }),
  ]);
  expect(answer.content).toBe('a\uFFFDb\uFFFD');
  expect(answer.calls).toMatchObject([accepted('f', { t: 'a\uFFFD' })]);
});

test('P106: a content filter keeps the text, names itself, and runs no call', async () => {
  const { answer } = await turnOf([{ content: 'Part' }, calls(CUT)], { finish: 'content_filter' });
  expect(answer).toMatchObject({ content: 'Part', calls: [], errorMessage: expect.stringContaining('content_filter') as string });
});

test.each([
  ['IMAGE_SAFETY', 'content filter'],
  ['guardrail_intervened', 'content filter'],
  ['model_context_window_exceeded', 'cut off'],
])('P40, P106: the finish reason %s makes the answer a short one', async (finish, words) => {
  expect((await turnOf([{ content: 'Part' }], { finish })).answer).toMatchObject({
    content: 'Part',
    errorMessage: expect.stringContaining(words) as string,
  });
});

test('P110: of counts in each chunk the last are the counts', async () => {
  const usage = (completion: number): object => ({ prompt_tokens: 10, completion_tokens: completion, total_tokens: 10 + completion });
  await model.push(
    rawAnswer([...[1, 2, 3].map((n) => eventOf({ choices: [{ index: 0, delta: { content: 'x' } }], usage: usage(n) })), DONE]),
  );
  expect((await turns.run()).answer.usage).toMatchObject({ prompt: 10, completion: 3, total: 13 });
});

test('P112: counts in the choice or under x_groq are found, and those at the top win', async () => {
  const counts = (n: number): object => ({ prompt_tokens: 6, completion_tokens: n, total_tokens: 6 + n });
  await model.push(rawAnswer([chunk({ delta: { content: 'a' } }), chunk({ finish_reason: 'stop', usage: counts(2) }), DONE]));
  expect((await turns.run()).answer.usage).toMatchObject({ prompt: 6, completion: 2 });
  await model.push(
    rawAnswer([eventOf({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }], x_groq: { usage: counts(2) } }), DONE]),
  );
  expect((await turns.run()).answer.usage).toMatchObject({ prompt: 6, completion: 2 });
  await model.push(
    rawAnswer([
      eventOf({ choices: [], usage: counts(3) }),
      chunk({ delta: { content: 'a' }, finish_reason: 'stop', usage: counts(2) }),
      DONE,
    ]),
  );
  expect((await turns.run()).answer.usage).toMatchObject({ completion: 3 });
});

test('R34: unknown fields of delta, choice and body survive', async () => {
  await model.push(
    rawAnswer([
      eventOf({
        id: 'x',
        system_fingerprint: 'fp',
        choices: [{ index: 0, delta: { content: 'a', annotations: [{ type: 'url' }], audio: { id: 'au', transcript: 'he' } } }],
      }),
      eventOf({
        choices: [{ index: 0, delta: { audio: { id: 'other', transcript: 'llo' } }, finish_reason: 'stop', native_finish_reason: 'eos' }],
        provider: 'P',
      }),
      DONE,
    ]),
  );
  const { context, wire } = await turns.run();
  expect(context.rawMessage).toMatchObject({ annotations: [{ type: 'url' }], audio: { id: 'au', transcript: 'hello' } });
  expect(wire[0]?.outcome?.response).toMatchObject({ id: 'x', system_fingerprint: 'fp', provider: 'P', native_finish_reason: 'eos' });
});

test('R36: the model that was echoed is stamped, else the one that was asked for', async () => {
  expect((await turnOf([{ content: 'a' }], { finish: 'stop' })).answer.metadata).toMatchObject({ model: 'scripted-model' });
  await model.push(rawAnswer([chunk({ delta: { content: 'a' }, finish_reason: 'stop' }), DONE]));
  expect((await turns.run()).answer.metadata).toMatchObject({ model: 'asked-model' });
});

test('R39: arguments that are not JSON are answered with the place and the text', async () => {
  const [call] = await callsOf([calls({ index: 0, id: 'p', function: { name: 'f', arguments: '{"a": oops}' } })]);
  expect(call).toMatchObject({ kind: 'rejected', name: 'f', providerId: 'p', argumentsRaw: '{"a": oops}' });
  expect(call?.kind === 'rejected' ? call.answer : '').toBe(
    [
      'The call of "f" was not run: its arguments are not valid JSON. At character 7: oops is not JSON; put strings in double quotes.',
      'You sent:\n{"a": oops}',
      '{"a": oops}\n      ^',
      'Send the same call again with valid JSON only: one object, double quotes around names and strings, and nothing before or after it.',
    ].join('\n\n'),
  );
});

test('R39: arguments that do not fit the schema are answered with path and message', async () => {
  const [call] = await callsOf([calls({ index: 0, id: 'p', function: { name: 'add', arguments: '{"a":"x"}' } })], {
    tools: { add: NEEDS_A },
  });
  expect(call).toMatchObject({ kind: 'rejected', answer: expect.stringContaining('/a: must be number') as string });
});

test('R39: arguments wrapped in a string once are taken out, and no more is guessed', async () => {
  expect(await callsOf([calls({ index: 0, id: 'p', function: { name: 'f', arguments: JSON.stringify('{"a":1}') } })])).toMatchObject([
    accepted('f', { a: 1 }),
  ]);
  expect(await callsOf([calls({ index: 0, id: 'p', function: { name: 'f', arguments: "{'a':1,}" } })])).toMatchObject([
    { kind: 'rejected' },
  ]);
});

test('R39: a call without a name is unknown_tool', async () => {
  const [call] = await callsOf([calls({ index: 0, id: 'p', function: { arguments: '{}' } })]);
  expect(call).toMatchObject({ kind: 'rejected', name: 'unknown_tool', answer: expect.stringContaining('it names no tool') as string });
});

test('R52: calls over the limit of a turn are answered', async () => {
  const found = await callsOf(
    [calls(...[0, 1, 2].map((index) => ({ index, id: `p${index}`, function: { name: 'f', arguments: '{}' } })))],
    { agent: { maxCallsPerTurn: 2 } },
  );
  expect(found.map((call) => call.kind)).toEqual(['accepted', 'accepted', 'rejected']);
  expect(found[2]).toMatchObject({ answer: expect.stringContaining('at most 2 calls') as string });
});

test('P70: channel tokens and the functions prefix are no part of a name', async () => {
  const named = (name: string): object => calls({ index: 0, id: 'p', function: { name, arguments: '{}' } });
  expect(await callsOf([named('search<|channel|>commentary')])).toMatchObject([accepted('search', {})]);
  expect(await callsOf([named('functions.search')])).toMatchObject([accepted('search', {})]);
  expect(await callsOf([named('functions.nothing')])).toMatchObject([{ kind: 'rejected', name: 'functions.nothing' }]);
});

test.each(['default_api.f', 'default_api:f', 'functions.f:0', 'f:3'])(
  'P70: what a template puts around a name is no part of it (%s)',
  async (name) => {
    expect(await callsOf([calls({ index: 0, id: 'p', function: { name, arguments: '{}' } })])).toMatchObject([accepted('f', {})]);
  },
);

test('P71: an unknown tool is answered with the names there are', async () => {
  const [call] = await callsOf([calls({ index: 0, id: 'p', function: { name: 'serch', arguments: '{}' } })], {
    tools: { search: OBJECT_SCHEMA, open: OBJECT_SCHEMA },
  });
  expect(call).toMatchObject({
    kind: 'rejected',
    providerId: 'p',
    name: 'serch',
    answer: expect.stringContaining('there is no tool "serch". The tools are: "open", "search"') as string,
  });
});

test('R33: the starts of calls are shown as they come', async () => {
  const { parts } = await turnOf([
    { content: 'I look. ' },
    calls({ index: 0, id: 'p', function: { name: 'f', arguments: '{}' } }),
    calls({ index: 1, id: 'q', function: { name: 'g', arguments: '{}' } }),
  ]);
  expect(parts).toEqual([
    { type: 'text-delta', text: 'I look. ' },
    { type: 'tool-start', callId: 'p', name: 'f' },
    { type: 'tool-start', callId: 'q', name: 'g' },
  ]);
});
