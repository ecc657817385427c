import fc from 'fast-check';
import { AnswerAggregator } from '../../../../src/llm/stream/answer-aggregator';
import { BodyReader } from '../../../../src/llm/stream/body-reader';
import { EVENT_LIMIT_CHARS } from '../../../../src/llm/stream/stream-limits';

const RESPONSE = { url: 'http://h/chat/completions', status: 200, headers: {} };
const aggregate = (chunks: readonly unknown[]): ReturnType<AnswerAggregator['finish']> => {
  const aggregator = new AnswerAggregator({ now: () => 0 });
  for (const chunk of chunks) aggregator.push(chunk);
  return aggregator.finish();
};

const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(fc.constantFrom('toString', 'valueOf', 'length', 'constructor', '__proto__'), fc.jsonValue({ maxDepth: 1 })),
);
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null | undefined> =>
  fc.option(fc.option(arbitrary), { nil: undefined });
const looseText = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('<think>', '</think>', '{"a":', '1}', '{}', '\uD83D', '\uDE42'));
const anyCall = fc.record(
  {
    index: fc.oneof(fc.nat({ max: 3 }), anyJson),
    id: maybe(fc.oneof(looseText, anyJson)),
    type: anyJson,
    function: fc.oneof(fc.record({ name: maybe(looseText), arguments: fc.oneof(looseText, anyJson) }, { requiredKeys: [] }), anyJson),
  },
  { requiredKeys: [] },
);
const anyDelta = fc.oneof(
  fc.record(
    {
      role: anyJson,
      content: fc.oneof(looseText, anyJson),
      reasoning: fc.oneof(looseText, anyJson),
      reasoning_details: fc.oneof(
        fc.array(fc.dictionary(fc.constantFrom('index', 'type', 'text', 'id', 'data', '__proto__'), anyJson)),
        anyJson,
      ),
      tool_calls: fc.oneof(fc.array(anyCall), anyJson),
      function_call: anyJson,
      extra: anyJson,
    },
    { requiredKeys: [] },
  ),
  anyJson,
);
const anyChunk = fc.oneof(
  anyJson,
  fc.record(
    {
      choices: fc.oneof(
        fc.array(
          fc.record(
            {
              index: fc.oneof(maybe(fc.nat({ max: 1 })), anyJson),
              delta: anyDelta,
              message: anyDelta,
              finish_reason: maybe(looseText),
              usage: anyJson,
            },
            { requiredKeys: [] },
          ),
        ),
        anyJson,
      ),
      usage: anyJson,
      model: anyJson,
    },
    { requiredKeys: [] },
  ),
);

test('R34: merging never throws, whatever JSON comes, and what it makes is JSON', () => {
  fc.assert(
    fc.property(fc.array(anyChunk, { maxLength: 12 }), (chunks) => {
      const { message } = aggregate(structuredClone(chunks));
      expect(message.role).toEqual('assistant');
      expect(JSON.parse(JSON.stringify(message))).toEqual(expect.objectContaining({ role: 'assistant' }));
    }),
    { numRuns: 500 },
  );
});

test('R34: a field named __proto__ is a field and no prototype', () => {
  const { message } = aggregate([JSON.parse('{"choices":[{"delta":{"content":"a","x":{"__proto__":{"polluted":true}}}}]}')]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(JSON.stringify(message.x)).toBe('{"__proto__":{"polluted":true}}');
});

test('R34: text that is cut anywhere is the same message', () => {
  const texts = fc.array(
    fc.oneof(fc.constantFrom('<think>', '</think>', '<think', '\n\n', ' ', '`', '<'), fc.string({ unit: 'grapheme', maxLength: 4 })),
    { maxLength: 10 },
  );
  fc.assert(
    fc.property(texts, fc.array(fc.nat({ max: 60 }), { maxLength: 6 }), (parts, places) => {
      const text = parts.join('');
      const edges = [0, ...places.map((place) => Math.min(place, text.length)), text.length].sort((left, right) => left - right);
      const pieces = edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
      const message = (contents: readonly string[]): unknown =>
        aggregate(contents.map((content) => ({ choices: [{ delta: { content } }] }))).message;
      expect(message(pieces)).toEqual(message([text]));
    }),
    { numRuns: 500 },
  );
});

test('R34: the bytes of a stream, cut anywhere, are the same message', () => {
  const chunks = [
    { choices: [{ delta: { reasoning: 'Hm 🙂' } }] },
    { choices: [{ delta: { content: 'é ' } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, id: 'p', function: { name: 'f', arguments: '{"a":' } }] } }] },
    {
      choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '"ü"}' } }] }, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 1 },
    },
  ];
  const bytes = new TextEncoder().encode(
    `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join(': ping\r\n\r\n')}data: [DONE]\r\n\r\n`,
  );
  const read = (pieces: readonly Uint8Array[]): unknown => {
    const aggregator = new AnswerAggregator({ now: () => 0 });
    const reader = new BodyReader({ response: RESPONSE, aggregator });
    for (const piece of pieces) reader.push(piece);
    reader.end();
    return aggregator.finish();
  };
  const whole = read([bytes]);
  expect(whole).toMatchObject({
    message: { content: 'é ', reasoning_content: 'Hm 🙂', tool_calls: [{ function: { arguments: '{"a":"ü"}' } }] },
    usage: { prompt_tokens: 1 },
  });
  for (let place = 1; place < bytes.length; place += 1) expect(read([bytes.subarray(0, place), bytes.subarray(place)])).toEqual(whole);
});

test('R34: an endless answer is given up at the limit, with a clear error', () => {
  const aggregator = new AnswerAggregator({ now: () => 0 });
  const reader = new BodyReader({ response: RESPONSE, aggregator, answerLimitChars: 10_000 });
  const piece = (delta: object): Uint8Array => new TextEncoder().encode(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
  const endless = (delta: (round: number) => object) => () =>
    Array.from({ length: 20_000 }, (_, round) => reader.push(piece(delta(round))));
  expect(endless(() => ({ content: 'on and on' }))).toThrow('the answer is longer than 10000 characters');
  const other = new BodyReader({ response: RESPONSE, aggregator: new AnswerAggregator({ now: () => 0 }), answerLimitChars: 10_000 });
  expect(() => Array.from({ length: 20_000 }, (_, round) => other.push(piece({ [`field_${round}`]: true })))).toThrow(
    'the answer is longer',
  );
});

test('R34: a body of one endless value is given up at the limit', () => {
  const reader = new BodyReader({ response: RESPONSE, aggregator: new AnswerAggregator({ now: () => 0 }), eventLimitChars: 1_000 });
  expect(() => Array.from({ length: 2_000 }, () => reader.push(new TextEncoder().encode('{"a":')))).toThrow(
    'the body of the response is longer than 1000',
  );
  expect(EVENT_LIMIT_CHARS).toBeGreaterThan(1_000_000);
});

test('R34: a value that is nested without end is given up, wherever it stands', () => {
  const reader = new BodyReader({ response: RESPONSE, aggregator: new AnswerAggregator({ now: () => 0 }) });
  const deep = `{"choices":[{"delta":{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}}]}`;
  expect(() => reader.push(new TextEncoder().encode(`data: ${deep}\n\n`))).toThrow('nested deeper than 500 levels');
});

test('R34: a list of ten thousand indexed entries is merged in linear time', () => {
  const started = performance.now();
  const { message } = aggregate(
    Array.from({ length: 10_000 }, (_, index) => ({
      choices: [{ delta: { reasoning_details: [{ index, text: 'x' }], notes: [{ index }] } }],
    })),
  );
  expect(message).toMatchObject({ reasoning_details: { length: 10_000 }, notes: { length: 10_000 } });
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('P52: a text of a hundred thousand openers is looked through in linear time', () => {
  const started = performance.now();
  const content = `<think>a</think>${'<think> '.repeat(100_000)}</think`;
  expect(aggregate([{ choices: [{ delta: { content } }] }]).message).toMatchObject({ reasoning_content: 'a' });
  expect(performance.now() - started).toBeLessThan(2_000);
});
