import fc from 'fast-check';
import { SseParser, type ServerSentEvent } from '../../../../src/llm/stream/sse-parser';
import { StreamLimitError } from '../../../../src/llm/stream/stream-limits';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function parse(chunks: readonly Uint8Array[], limit?: number): readonly ServerSentEvent[] {
  const parser = new SseParser(limit);
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const edges = [0, ...new Set(places.map((place) => place % (bytes.length + 1))), bytes.length].sort((left, right) => left - right);
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

const SAMPLE = 'data: {"a":"café 🙂"}\r\n\r\n: ping\r\rdata:x\ndata: y\n\nevent: error\r\ndata: gone\r\n\r\nid: 1\n\ndata: last';

const EVENTS = [
  { name: undefined, data: '{"a":"café 🙂"}' },
  { name: undefined, data: 'x\ny' },
  { name: 'error', data: 'gone' },
  { name: undefined, data: 'last' },
];

test('P1, P2, P5, P7, P8: events of every line end, in one piece', () => {
  expect(parse([encode(SAMPLE)])).toEqual(EVENTS);
});

test('P2, P7: the same bytes, cut in two anywhere, are the same events', () => {
  const bytes = encode(SAMPLE);
  for (let place = 0; place <= bytes.length; place += 1) expect(parse(cutAt(bytes, [place]))).toEqual(EVENTS);
});

test('P2: any bytes, cut anywhere, are the same events as in one piece', () => {
  const anyLine = fc.oneof(
    fc.constantFrom('data: a', 'data:', 'data', ': c', 'event: error', 'id: 1', ''),
    fc.string({ unit: 'grapheme' }),
  );
  const anyText = fc
    .array(fc.tuple(anyLine, fc.constantFrom('\n', '\r', '\r\n', '')), { maxLength: 12 })
    .map((lines) => lines.flat().join(''));
  const anyBytes = fc.oneof(anyText.map(encode), fc.uint8Array({ maxLength: 60 }));
  fc.assert(
    fc.property(anyBytes, fc.array(fc.nat({ max: 200 }), { maxLength: 20 }), (bytes, places) => {
      expect(parse(cutAt(bytes, places))).toEqual(parse([bytes]));
    }),
    { numRuns: 500 },
  );
});

test('P7: a byte order mark is no part of the first field', () => {
  expect(parse([new Uint8Array([0xef]), new Uint8Array([0xbb, 0xbf]), encode('data: a\n\n')])).toEqual([{ name: undefined, data: 'a' }]);
});

test('P1: an event that never ends is given up at the limit, and comments are not counted for ever', () => {
  const push = (text: string): (() => unknown) => {
    const parser = new SseParser(1_000);
    return () => Array.from({ length: 300 }, () => parser.push(encode(text)));
  };
  expect(push('data: no end')).toThrow(StreamLimitError);
  expect(push('data: a line\n')).toThrow('one event of the stream is longer than 1000 characters');
  expect(push(': a comment\n')).not.toThrow();
});
