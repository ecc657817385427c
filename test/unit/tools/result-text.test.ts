import fc from 'fast-check';
import { capText } from '../../../src/tools/cap-text';
import { NO_OUTPUT_TEXT, toResultText } from '../../../src/tools/result-text';

describe('toResultText', () => {
  it.each<readonly [string, unknown, string]>([
    ['a string as it is', 'two\nlines ', 'two\nlines '],
    ['a number', 42, '42'],
    ['null', null, 'null'],
    ['false', false, 'false'],
    ['an object as JSON', { a: [1, 'b'] }, '{"a":[1,"b"]}'],
    ['a bigint', { id: 9007199254740993n }, '{"id":"9007199254740993"}'],
    ['nothing', undefined, NO_OUTPUT_TEXT],
    ['an empty string', '', NO_OUTPUT_TEXT],
    ['blanks', ' \n', NO_OUTPUT_TEXT],
    ['a function', () => 1, NO_OUTPUT_TEXT],
    ['an empty list', [], '[]'],
    [
      'parts of text',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    [
      'a list that only looks like parts',
      [{ type: 'text', text: 'a' }, { type: 'video' }],
      '[{"type":"text","text":"a"},{"type":"video"}]',
    ],
    ['parts without a word', [{ type: 'text', text: '' }], NO_OUTPUT_TEXT],
  ])('R76: tells %s', (_what, value, text) => {
    expect(toResultText(value)).toEqual({ text, images: [] });
  });

  it('P80: notes each image in the text and keeps its bytes beside it', () => {
    const parts = [
      { type: 'image', data: 'aaaa', mimeType: 'image/png' },
      { type: 'text', text: 'and' },
      { type: 'image', data: 'b'.repeat(2_000), mimeType: 'image/jpeg' },
    ];

    expect(toResultText(parts)).toEqual({
      text: '[image 1: image/png, 1 kB]\nand\n[image 2: image/jpeg, 2 kB]',
      images: [
        { mimeType: 'image/png', data: 'aaaa' },
        { mimeType: 'image/jpeg', data: 'b'.repeat(2_000) },
      ],
    });
  });

  it('P80: leaves out an image that no provider takes, and says so', () => {
    const { text, images } = toResultText([{ type: 'image', data: 'x'.repeat(10_000_001), mimeType: 'image/png' }]);

    expect(images).toEqual([]);
    expect(text).toMatch(/^\[an image was left out: image\/png, \d+ kB, too large\]$/);
  });

  it('R76: says so where a value has no JSON form', () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;

    expect(() => toResultText(circular)).toThrow(/the tool ran, but its result cannot be written as JSON/);
  });
});

describe('capText', () => {
  it('leaves a text alone that fits', () => {
    expect(capText('x'.repeat(1_000), 1_000)).toBe('x'.repeat(1_000));
  });

  it('P82: keeps head and tail, says what is missing, and never cuts inside a character', () => {
    const text = fc
      .array(fc.constantFrom('a', 'é', '😀', '\n', '漢'), { minLength: 1_000, maxLength: 3_000 })
      .map((letters) => letters.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 200, max: 1_000 }), (whole, maxChars) => {
        const cut = capText(whole, maxChars);
        const [head = '', tail = ''] = cut.split(
          /\n\[… \d+ of \d+ characters are left out here\. Ask for less at a time to see them\. …\]\n/,
        );
        const missing = Number(/\[… (\d+) of/.exec(cut)?.[1] ?? 0);

        expect(cut.length).toBeLessThanOrEqual(maxChars);
        expect(cut).not.toMatch(/\p{Surrogate}/u);
        if (whole.length <= maxChars) return expect(cut).toBe(whole);
        expect(whole.startsWith(head)).toBe(true);
        expect(whole.endsWith(tail)).toBe(true);
        expect(head.length + tail.length + missing).toBe(whole.length);
        expect(head.length).toBeGreaterThan(tail.length);
      }),
    );
  });
});
