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
      properties: { k: { type: 'string', enum: ['a'] } },
    });
  });

  test('P94: a property may be called as a keyword', () => {
    expect(normaliseSchema({ type: 'object', properties: { $schema: { type: 'string' }, const: { type: 'string' } } }, 'gemini')).toEqual({
      type: 'object',
      properties: { $schema: { type: 'string' }, const: { type: 'string' } },
    });
  });

  test('P94: a reference at the top is followed', () => {
    const A = { type: 'object', properties: { x: { $ref: '#/$defs/B' } }, required: ['x'] };
    expect(normaliseSchema({ $ref: '#/$defs/A', $defs: { A, B: { type: 'string' } } })).toMatchObject({
      type: 'object',
      properties: { x: { $ref: '#/$defs/B' } },
      required: ['x'],
      $defs: { B: { type: 'string' } },
    });
  });

  test('P94: what tells the branches of a choice apart keeps all its values', () => {
    const branch = (kind: string, fields: object) => ({
      properties: { kind: { type: 'string', const: kind }, ...fields },
      required: ['kind'],
    });
    expect(normaliseSchema({ oneOf: [branch('a', { n: { type: 'string' } }), branch('b', { n: { type: 'number' } })] })).toEqual({
      type: 'object',
      properties: { kind: { type: 'string', enum: ['a', 'b'] }, n: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
      required: ['kind'],
    });
  });

  test('P94: branches by reference are followed', () => {
    const schema = { anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: { type: 'object', properties: { a: {} }, required: ['a'] } } };
    expect(normaliseSchema(schema)).toMatchObject({ properties: { a: {} }, required: ['a'] });
  });

  test.each([
    [
      { type: 'array', items: [{ type: 'string' }, true] },
      { type: 'array', items: { anyOf: [{ type: 'string' }, {}] } },
    ],
    [true, {}],
    [
      { type: 'object', properties: null, required: true },
      { type: 'object', properties: {} },
    ],
    [
      { type: 'string', format: 'email', pattern: '^(?!x).*$' },
      { type: 'string', format: 'email' },
    ],
  ])('P94: %j is written as %j', (given, sent) => {
    expect(normaliseSchema({ type: 'object', properties: { p: given } })).toEqual({ type: 'object', properties: { p: sent } });
  });

  test.each([
    [{ type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [{ type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, { type: 'number', nullable: true }],
    [{ oneOf: [{ const: 'x' }, { type: 'integer' }] }, { anyOf: [{ type: 'string', enum: ['x'] }, { type: 'integer' }] }],
    [
      { type: 'number', enum: [1, 2] },
      { type: 'number', description: 'One of: 1, 2.' },
    ],
    [{ type: 'string', format: 'uri' }, { type: 'string' }],
    [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
    ],
    [{ type: 'object', additionalProperties: { type: 'number' } }, { type: 'object' }],
    [
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, uniqueItems: true },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    ],
    [{ $ref: '#/$defs/N' }, { type: 'object', properties: { next: { type: 'object' } } }],
  ])('P94: Gemini gets %j as %j', (given, sent) => {
    const schema = {
      type: 'object',
      properties: { p: given },
      required: ['p', 'ghost'],
      $defs: { N: { type: 'object', properties: { next: { $ref: '#/$defs/N' } } } },
    };
    expect(normaliseSchema(schema, 'gemini')).toEqual({ type: 'object', properties: { p: sent }, required: ['p'] });
  });

  test('P94: the schema that was given is not changed', () => {
    const schema = Object.freeze({ $schema: 'x', type: 'object', properties: Object.freeze({ l: Object.freeze({ type: 'array' }) }) });
    expect(() => normaliseSchema(schema)).not.toThrow();
  });
});
