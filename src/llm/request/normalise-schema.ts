/** Writes a tool's schema in the form that providers accept (P94). The schema that arguments are checked against stays as it is. */

import { isObject, type ForeignObject } from '../foreign-json';
import type { FamilyTraits } from '../families/provider-family';

type Schema = Record<string, unknown>;

/** Keys whose value is a schema, a list of schemas, or a map of names to schemas. */
const SCHEMA_KEYS: readonly string[] = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
const SCHEMA_LIST_KEYS: readonly string[] = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const SCHEMA_MAP_KEYS: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

const ALWAYS_DROPPED: readonly string[] = ['$schema', '$id', '$comment'];
const GEMINI_DROPPED: readonly string[] = [
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'exclusiveMinimum',
  'exclusiveMaximum',
];

export function normaliseSchema(schema: unknown, dialect: FamilyTraits['schemaDialect'] = 'plain'): Schema {
  const flat = withoutTopLevelChoices(isObject(schema) ? schema : {});
  const normalised = normalise(flat, dialect);
  return { ...normalised, type: 'object', properties: isObject(normalised.properties) ? normalised.properties : {} };
}

/** Several providers refuse a choice at the top: its branches become one object that demands what all of them demand. */
function withoutTopLevelChoices(schema: ForeignObject): ForeignObject {
  const { anyOf, oneOf, allOf, not: _not, enum: _enum, ...rest } = schema;
  const choices = [...listOf(anyOf), ...listOf(oneOf)];
  const parts = listOf(allOf);
  if (choices.length === 0 && parts.length === 0) return rest;
  const all = [rest, ...parts, ...choices];
  const requiredByAll = [rest, ...parts].flatMap((part) => requiredOf(part));
  const requiredByEach = choices.map(requiredOf);
  const common = (requiredByEach[0] ?? []).filter((name) => requiredByEach.every((names) => names.includes(name)));
  return {
    ...rest,
    properties: Object.assign({}, ...all.map((part) => (isObject(part.properties) ? part.properties : {}))) as Schema,
    required: [...new Set([...requiredByAll, ...common])],
  };
}

const listOf = (value: unknown): readonly ForeignObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const requiredOf = (schema: ForeignObject): readonly string[] =>
  Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];

function normalise(schema: ForeignObject, dialect: FamilyTraits['schemaDialect']): Schema {
  const dropped = dialect === 'gemini' ? [...ALWAYS_DROPPED, ...GEMINI_DROPPED] : ALWAYS_DROPPED;
  const kept: Schema = Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !dropped.includes(key))
      .map(([key, value]) => [key, normaliseUnder(key, value, dialect)]),
  );
  if (isType(kept, 'array') && kept.items === undefined && kept.prefixItems === undefined) kept.items = {};
  if (isType(kept, 'object') && kept.properties === undefined && kept.additionalProperties === undefined) kept.properties = {};
  if (Array.isArray(kept.required) && kept.required.length === 0) delete kept.required;
  return dialect === 'gemini' ? withEnumForConst(kept) : kept;
}

function normaliseUnder(key: string, value: unknown, dialect: FamilyTraits['schemaDialect']): unknown {
  const under = (entry: unknown): unknown => (isObject(entry) ? normalise(entry, dialect) : entry);
  if (SCHEMA_KEYS.includes(key)) return under(value);
  if (SCHEMA_LIST_KEYS.includes(key) && Array.isArray(value)) return value.map(under);
  if (SCHEMA_MAP_KEYS.includes(key) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, under(entry)]));
  return value;
}

const isType = (schema: Schema, type: string): boolean =>
  schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type));

function withEnumForConst(schema: Schema): Schema {
  if (!('const' in schema)) return schema;
  const { const: only, ...rest } = schema;
  return { ...rest, enum: [only] };
}
