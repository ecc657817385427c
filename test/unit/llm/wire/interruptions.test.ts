import { LostLease } from '../../../../src/domain/errors';
import { classifyProviderError } from '../../../../src/llm/errors/classify-provider-error';
import { eventOf, rawAnswer, textAnswer } from '../../../../src/testing/scripted-answers';
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

const delta = (value: object, finish: string | null = null): string =>
  eventOf({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
const DONE = 'data: [DONE]\n\n';

const reasonOf = (error: unknown): unknown => {
  const found = classifyProviderError(error, { now: 0 });
  return found === undefined ? undefined : [found.kind, 'reason' in found ? found.reason : undefined];
};

test.each([
  ['comments', ': ping\n\n'],
  ['empty chunks', 'data: {"choices":[]}\n\n'],
  ['empty content', 'data: {"choices":[{"index":0,"delta":{"content":""}}]}\n\n'],
])('P118: a stream that only seems alive ends after the progress timeout (%s)', async (_name, data) => {
  await model.push(rawAnswer([delta({ content: 'Hel' }), { kind: 'repeat', data, everyMilliseconds: 40 }]));
  const error = await turns.fail({ model: { progressTimeoutSeconds: 0.3 } });
  expect(error).toMatchObject({ kind: 'timeout', message: expect.stringContaining('for 0.3 s') as string });
  expect(reasonOf(error)).toEqual(['retryable', 'timeout']);
  await model.waitUntil((entries) => entries[0]?.outcome === 'client-aborted');
});

test('P118: before the first token comments are waited through, up to a limit of its own', async () => {
  await model.push(
    rawAnswer([
      ...Array.from({ length: 8 }, () => [': queued\n\n', { kind: 'delay' as const, milliseconds: 60 }]).flat(),
      delta({ content: 'Hello' }, 'stop'),
      DONE,
    ]),
  );
  expect((await turns.run({ model: { progressTimeoutSeconds: 0.2 } })).answer.content).toBe('Hello');
  await model.push(rawAnswer([{ kind: 'repeat', data: ': queued\n\n', everyMilliseconds: 40 }]));
  expect((await turns.fail({ model: { firstTokenTimeoutSeconds: 0.3 } })).message).toContain('no first token came within 0.3 s');
});

test('P118: silence ends after the read timeout, also before the headers', async () => {
  await model.push(rawAnswer([{ kind: 'hold' }]));
  expect((await turns.fail({ model: { readTimeoutSeconds: 0.2 } })).message).toContain('nothing came for 0.2 s');
  await model.push(rawAnswer([delta({ content: 'Hel' }), { kind: 'hold' }]));
  expect(await turns.fail({ model: { readTimeoutSeconds: 0.2 } })).toMatchObject({ kind: 'timeout' });
});

test('R45: a turn has its whole time and no more', async () => {
  await model.push(rawAnswer([{ kind: 'repeat', data: delta({ content: 'on ' }), everyMilliseconds: 20 }]));
  expect((await turns.fail({ agent: { turnTimeoutSeconds: 0.3 } })).message).toContain("after 0.3 s (the turn's timeout)");
});

test('P119: a connection that is lost in a stream comes again, and nothing of it is run', async () => {
  const call = { index: 0, id: 'p', function: { name: 'f', arguments: '{"path":"/tm' } };
  await model.push(rawAnswer([delta({ content: 'I will ' }), delta({ tool_calls: [call] }), { kind: 'destroy' }]));
  const error = await turns.fail({ tools: { f: OBJECT_SCHEMA } });
  expect(error.kind).toBe('network');
  expect(reasonOf(error)).toEqual(['retryable', 'server-error']);
  expect(error.message).toMatch(/terminated|closed|reset/i);
});

test('P119: a stream that just ends is no answer', async () => {
  await model.push(rawAnswer([delta({ content: 'I will ' })]));
  const error = await turns.fail();
  expect(error).toMatchObject({ kind: 'stream', message: 'the stream ended before its finish reason' });
  expect(reasonOf(error)).toEqual(['retryable', 'server-error']);
});

test('P119: where nobody listens the cause is said', async () => {
  const gone = await startScriptedModel();
  await gone.stop();
  const refused = await turns.fail({ model: { baseURL: gone.baseURL } });
  expect(refused).toMatchObject({ kind: 'network', message: expect.stringContaining('ECONNREFUSED') as string });
  expect(reasonOf(refused)).toEqual(['retryable', 'server-error']);
});

test('R17: an aborted attempt throws the reason of its signal, in the stream and before the headers', async () => {
  for (const pieces of [[delta({ content: 'Hel' }), { kind: 'hold' as const }], [{ kind: 'hold' as const }]]) {
    await model.clear();
    await model.push(rawAnswer(pieces));
    const controller = new AbortController();
    const reason = new LostLease('turn 1');
    const turn = turns.run({ signal: controller.signal });
    const ended = expect(turn).rejects.toBe(reason);
    await model.waitUntil((entries) => entries.length === 1);
    controller.abort(reason);
    await ended;
    await model.waitUntil((entries) => entries[0]?.outcome === 'client-aborted');
    expect(turns.wire[0]?.outcome?.error).toMatch(/^cut off: .*turn 1/);
  }
});

test('R17: a signal that was aborted before sends nothing', async () => {
  const reason = new LostLease('turn 1');
  await expect(turns.run({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(await model.journal()).toEqual([]);
});

test('R48: an answer whose finish reason was read is complete, whatever the signal says then', async () => {
  await model.push(rawAnswer([delta({ content: 'Hello' }), delta({}, 'stop'), { kind: 'hold' }]));
  const controller = new AbortController();
  const turn = turns.run({ signal: controller.signal, onPart: () => setTimeout(() => controller.abort(new LostLease('turn 1')), 200) });
  expect((await turn).answer).toMatchObject({ content: 'Hello', metadata: { finish_reason: 'stop' } });
});

test('R48: an answer whose finish reason was read is complete, though the connection breaks then', async () => {
  await model.push(rawAnswer([delta({ content: 'Hello' }, 'stop'), { kind: 'delay', milliseconds: 50 }, { kind: 'destroy' }]));
  expect((await turns.run()).answer.content).toBe('Hello');
});

test('R33: the shell is filled as text comes, at most once a second', async () => {
  await model.push(
    textAnswer(
      Array.from({ length: 12 }, (_, index) => `${'x'.repeat(2 ** index)} `),
      { between: [{ kind: 'delay', milliseconds: 200 }] },
    ),
  );
  const { answer, shells } = await turns.run();
  expect(shells.length).toBeGreaterThanOrEqual(1);
  expect(shells.length).toBeLessThanOrEqual(3);
  for (const shell of shells) expect(answer.content?.startsWith(shell.content)).toBe(true);
});

test('R35, P116: the first token is the first thought, and the rate is that of the time after it', async () => {
  await model.push(
    rawAnswer([
      delta({ role: 'assistant', content: '' }),
      { kind: 'delay', milliseconds: 100 },
      ': ping\n\n',
      { kind: 'delay', milliseconds: 100 },
      delta({ reasoning: 'Hm' }),
      { kind: 'delay', milliseconds: 150 },
      delta({ content: 'Yes' }),
      { kind: 'delay', milliseconds: 150 },
      eventOf({
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 100, total_tokens: 101 },
      }),
      DONE,
    ]),
  );
  const { timings } = (await turns.run()).answer;
  expect(timings.timeToFirstToken).toBeGreaterThan(0.18);
  expect(timings.timeToFirstToken).toBeLessThan(0.45);
  expect(timings.thinking).toBeGreaterThan(0.13);
  expect(timings.generation).toBeGreaterThan(0.48);
  expect(timings.tokensPerSecond).toBeGreaterThan(100 / 0.7);
  expect(timings.tokensPerSecond).toBeLessThan(100 / 0.28);
});

test('R30: a connection is used again by the next turn', async () => {
  await model.push(textAnswer('one'), textAnswer('two'));
  await turns.run();
  await model.waitUntil((entries) => entries[0]?.outcome === 'ended');
  await turns.run();
  const [first, second] = await model.journal();
  expect(second?.clientPort).toBe(first?.clientPort);
});
