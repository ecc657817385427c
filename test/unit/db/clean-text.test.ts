/** What Postgres cannot keep. */

import fc from 'fast-check';
import { cleanJson, cleanText, cleanTextOrNull } from '../../../src/db/postgres/clean-text';

it('P82: NUL and lone surrogates become U+FFFD, pairs stay', () => {
  expect(cleanText('a\0b\ud800c\udfff')).toBe('a\uFFFDb\uFFFDc\uFFFD');
  expect(cleanText('😀 \u{10FFFF} é')).toBe('😀 \u{10FFFF} é');
  expect(cleanText('\udc00\ud83d')).toBe('\uFFFD\uFFFD');
  expect([cleanTextOrNull(null), cleanTextOrNull(undefined), cleanTextOrNull('\0')]).toEqual([null, null, '\uFFFD']);
});

it('P82: JSON is cleaned to its depth, keys too, and keeps its shape', () => {
  const date = new Date(0);
  expect(cleanJson({ 'k\0': ['\ud800', { deep: '\0' }], n: 1, f: false, z: null, u: undefined, date })).toEqual({
    'k\uFFFD': ['\uFFFD', { deep: '\uFFFD' }],
    n: 1,
    f: false,
    z: null,
    u: undefined,
    date,
  });
});

it('P82: any text comes out fit for Postgres, as long as it was, and once cleaned stays', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }), (text) => {
      const cleaned = cleanText(text);
      expect(cleaned).not.toContain('\0');
      expect(Buffer.from(cleaned, 'utf8').toString('utf8')).toBe(cleaned);
      expect(cleaned).toHaveLength(text.length);
      expect(cleanText(cleaned)).toBe(cleaned);
    }),
  );
});

it('P82: JSON without such text is the same', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => expect(cleanJson(value)).toEqual(value)));
});
