import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SchemaChecks } from '../../../../src/llm/parsing/schema-checks';

const SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'one',
  type: 'object',
  properties: { a: { type: 'number' }, k: { enum: ['x', 'y'] } },
  required: ['a'],
  additionalProperties: false,
} as const;

test('R39: each problem is a line with its path, and all are told at once', () => {
  expect(new SchemaChecks().check(SCHEMA, { a: 'x', k: 'z', more: 1 })).toEqual([
    '(the object itself): must NOT have additional properties: "more"',
    '/a: must be number',
    '/k: must be equal to one of the allowed values: ["x","y"]',
  ]);
});

test('R39: schemas of one id, made anew each turn, are checked each on its own', () => {
  const checks = new SchemaChecks();
  for (let turn = 0; turn < 5; turn += 1) {
    expect(
      checks.check({ ...SCHEMA, properties: { ...SCHEMA.properties, b: { type: 'string', maxLength: turn } } }, { a: 1, b: 'long text' }),
    ).toHaveLength(1);
    expect(checks.check({ ...SCHEMA }, { a: 1 })).toEqual([]);
  }
});

test('R39: a schema that cannot be compiled leaves the check to the tool', () => {
  expect(new SchemaChecks().check({ type: 'object', properties: { a: { $ref: '#/$defs/nowhere' } } }, { a: 1 })).toEqual([]);
});

test('R39: schemas that are made anew without end are not kept without end', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const checks = new SchemaChecks();
  const checkNew = (name: string): WeakRef<object> => {
    const properties = { [name]: { type: 'number' } };
    checks.check({ type: 'object', properties }, {});
    return new WeakRef(properties);
  };
  const first = checkNew('first');
  for (let turn = 0; turn < 2_000; turn += 1) checkNew(`p${turn}`);
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(first.deref()).toBeUndefined();
});
