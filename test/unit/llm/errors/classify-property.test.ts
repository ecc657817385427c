import fc from 'fast-check';
import { classifyProviderError } from '../../../../src/llm/errors/classify-provider-error';
import { ProviderError, type ProviderErrorKind } from '../../../../src/llm/errors/provider-error';
import { findRepair } from '../../../../src/llm/request/find-repair';

const kind = fc.constantFrom<ProviderErrorKind>('http', 'stream', 'network', 'timeout', 'protocol', 'empty');
const body = fc.oneof(
  fc.string(),
  fc.json(),
  fc
    .record({
      error: fc.oneof(
        fc.json().map((text) => JSON.parse(text) as unknown),
        fc.record({
          message: fc.anything({ withNullPrototype: false }),
          code: fc.oneof(fc.integer(), fc.string()),
          details: fc.jsonValue(),
        }),
      ),
    })
    .map((value) => {
      try {
        return JSON.stringify(value);
      } catch {
        return '';
      }
    }),
);
const headers = fc.dictionary(
  fc.constantFrom('retry-after', 'retry-after-ms', 'x-ratelimit-reset-tokens', 'x-ratelimit-reset', 'content-type'),
  fc.oneof(fc.string(), fc.integer().map(String)),
);

const error = fc
  .record({ kind, body, headers, status: fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }), message: fc.string() })
  .map(({ message, ...options }) => new ProviderError(message, { ...options, url: 'http://p.test/v1' }));

describe('any error at all', () => {
  test('R46: has one class, a text, and a time that can be waited for', () => {
    fc.assert(
      fc.property(error, (thrown) => {
        const found = classifyProviderError(thrown, { now: 1_900_000_000_000, hintMaximumMs: 3_600_000 });
        expect(['retryable', 'final', 'context-limit']).toContain(found?.kind);
        expect(typeof found?.message).toBe('string');
        const wait = found?.kind === 'retryable' ? (found.retryAfterMs ?? 1) : 1;
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThanOrEqual(3_600_000);
        expect(Number.isInteger(wait)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('R46: a repair is found or not, and never throws', () => {
    fc.assert(
      fc.property(error, fc.jsonValue(), (thrown, messages) => {
        const repair = findRepair(thrown, { messages, stream_options: {}, response_format: {} });
        expect(repair === undefined || typeof repair.kind === 'string').toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('R24: whatever else is thrown is classified as a connection or not at all', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        const found = classifyProviderError(thrown, { now: 0 });
        expect(found === undefined || found.message !== undefined).toBe(true);
      }),
    );
  });
});
