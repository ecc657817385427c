/** Measures what merging costs: microseconds a delta, and whether an answer of 1 MB stays linear. Run: npx tsx bench/delta-merge.ts */

import { AnswerAggregator } from '../src/llm/stream/answer-aggregator';
import { BodyReader } from '../src/llm/stream/body-reader';

const ROUNDS = 15;
const SMALL_CHARS = 125_000;
const LARGE_CHARS = 1_000_000;
const PIECE = 'lorem ip';
const RESPONSE = { url: 'http://127.0.0.1/v1/chat/completions', status: 200, headers: {} };

type DeltaOf = (piece: string, index: number) => object;

const FORMS: Readonly<Record<string, DeltaOf>> = {
  content: (content) => ({ content }),
  reasoning: (reasoning_content) => ({ reasoning_content }),
  arguments: (text, index) => ({
    tool_calls: [
      {
        index: 0,
        ...(index === 0 ? { id: 'p', type: 'function' } : {}),
        function: { ...(index === 0 ? { name: 'f' } : {}), arguments: text },
      },
    ],
  }),
  'arguments, name repeated': (text) => ({ tool_calls: [{ index: 0, id: 'p', function: { name: 'f', arguments: text } }] }),
};

function chunksOf(chars: number, deltaOf: DeltaOf): readonly object[] {
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm', system_fingerprint: 'fp' };
  return Array.from({ length: chars / PIECE.length }, (_, index) => ({
    ...base,
    choices: [{ index: 0, delta: deltaOf(PIECE, index), finish_reason: null }],
  }));
}

/** Microseconds of the processor a delta, best of some rounds: the machine may have other work. */
function measure(run: () => void, deltas: number): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...times) / deltas;
}

function merge(chunks: readonly object[]): void {
  const aggregator = new AnswerAggregator({ now: () => performance.now(), onPart: () => undefined });
  for (const chunk of chunks) aggregator.push(chunk);
  JSON.stringify(aggregator.finish().message);
}

function read(bytes: readonly Uint8Array[]): void {
  const aggregator = new AnswerAggregator({ now: () => performance.now(), onPart: () => undefined });
  const reader = new BodyReader({ response: RESPONSE, aggregator });
  for (const piece of bytes) reader.push(piece);
  reader.end();
  JSON.stringify(aggregator.finish().message);
}

for (const [name, deltaOf] of Object.entries(FORMS)) {
  const [small, large] = [SMALL_CHARS, LARGE_CHARS].map((chars) => chunksOf(chars, deltaOf)) as [readonly object[], readonly object[]];
  const costs = [small, large].map((chunks) => measure(() => merge(chunks), chunks.length)) as [number, number];
  const bytes = large.map((chunk) => new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`));
  const whole = measure(() => read(bytes), bytes.length);
  console.log(
    `${name}: merging ${costs[1].toFixed(2)} µs a delta at 1 MB (${(costs[1] / costs[0]).toFixed(2)} times that at 125 kB); with bytes, events and JSON ${whole.toFixed(2)} µs`,
  );
}
