import { normaliseSchema } from '../../../../src/llm/request/normalise-schema';

describe('schemas of tools', () => {
  test('P94: what is refused is dropped, what is missing is given', () => {
    expect(
      normaliseSchema({
        $schema: 'x',
        type: 'object',
        properties: { l: { type: 'array' }, k: { const: 'a' } },
        additionalProperties: false,
      }),
    ).toEqual({
      type: 'object',
      properties: { l: { type: 'array', items: {} }, k: { const: 'a' } },
      additionalProperties: false,
    });
  });

  test.each([[{}], [{ type: 'object' }], [undefined], [{ properties: null }]])('P94: %j is an object without properties', (schema) => {
    expect(normaliseSchema(schema)).toEqual({ type: 'object', properties: {} });
  });

  test('P94: nested objects and arrays are mended wherever they stand', () => {
    const schema = {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'array' }, { type: 'object' }] }, b: { type: 'array', items: { type: 'array' } } },
      $defs: { c: { type: 'array', $id: 'y' } },
    };
    expect(normaliseSchema(schema)).toEqual({
      type: 'object',
      properties: {
        a: {
          anyOf: [
            { type: 'array', items: {} },
            { type: 'object', properties: {} },
          ],
        },
        b: { type: 'array', items: { type: 'array', items: {} } },
      },
      $defs: { c: { type: 'array', items: {} } },
    });
  });

  test('P94: a choice at the top becomes one object that demands what all branches demand', () => {
    const schema = {
      anyOf: [
        { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
        { type: 'object', properties: { a: {}, c: {} }, required: ['a', 'c'] },
      ],
    };
    expect(normaliseSchema(schema)).toEqual({ type: 'object', properties: { a: {}, b: {}, c: {} }, required: ['a'] });
  });

  test('P94: parts at the top are joined with what stands beside them', () => {
    const schema = { type: 'object', properties: { a: {} }, required: ['a'], allOf: [{ properties: { b: {} }, required: ['b'] }] };
    expect(normaliseSchema(schema)).toEqual({ type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] });
  });

  test('P94: Gemini gets neither const nor additionalProperties', () => {
    expect(normaliseSchema({ type: 'object', properties: { k: { const: 'a' } }, additionalProperties: false }, 'gemini')).toEqual({
      type: 'object',
      properties: { k: { enum: ['a'] } },
    });
  });

  test('P94: a property may be called as a keyword', () => {
    expect(normaliseSchema({ type: 'object', properties: { $schema: { type: 'string' }, const: { type: 'string' } } }, 'gemini')).toEqual({
      type: 'object',
      properties: { $schema: { type: 'string' }, const: { type: 'string' } },
    });
  });

  test('P94: the schema that was given is not changed', () => {
    const schema = Object.freeze({ $schema: 'x', type: 'object', properties: Object.freeze({ l: Object.freeze({ type: 'array' }) }) });
    expect(() => normaliseSchema(schema)).not.toThrow();
  });
});
