/** Writes a tool's schema in the form that providers accept (P94). The schema that arguments are checked against stays as it is. */

import { isObject, type ForeignObject } from '../foreign-json';
import type { FamilyTraits } from '../families/provider-family';
import { toGeminiSchema } from './gemini-schema';
import { derefTop, mergeChoices } from './top-of-schema';

type Schema = Record<string, unknown>;

/** Keys whose value is a schema, a list of schemas, or a map of names to schemas. */
const SCHEMA_KEYS: readonly string[] = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
const SCHEMA_LIST_KEYS: readonly string[] = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const SCHEMA_MAP_KEYS: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

const DROPPED: readonly string[] = ['$schema', '$id', '$comment'];

/** Of a tool's parameters: an object at the top, without a choice there. */
export function normaliseSchema(schema: unknown, dialect: FamilyTraits['schemaDialect'] = 'plain'): Schema {
  const top = mergeChoices(derefTop(isObject(schema) ? schema : {}));
  const normalised = toDialect(top, dialect);
  return { ...normalised, type: 'object', properties: isObject(normalised.properties) ? normalised.properties : {} };
}

/** Of anything else, such as an answer: its top may be of any type. */
export function toDialect(schema: ForeignObject, dialect: FamilyTraits['schemaDialect']): Schema {
  return dialect === 'gemini' ? toGeminiSchema(normalise(schema)) : normalise(schema);
}

function normalise(schema: ForeignObject): Schema {
  const kept: Schema = Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !DROPPED.includes(key))
      .map(([key, value]) => [key, normaliseUnder(key, value)]),
  );
  if (Array.isArray(kept.items)) kept.items = { anyOf: (kept.items as readonly unknown[]).map(asSchema) };
  if (isType(kept, 'array') && kept.items === undefined && kept.prefixItems === undefined) kept.items = {};
  if (kept.properties !== undefined && !isObject(kept.properties)) delete kept.properties;
  if (isType(kept, 'object') && kept.properties === undefined && kept.additionalProperties === undefined) kept.properties = {};
  if (kept.required !== undefined && (!Array.isArray(kept.required) || kept.required.length === 0)) delete kept.required;
  // The format says it; patterns of libraries look ahead, which no grammar of a small server can.
  if (kept.format !== undefined) delete kept.pattern;
  return kept;
}

function normaliseUnder(key: string, value: unknown): unknown {
  if (SCHEMA_KEYS.includes(key)) return isObject(value) ? normalise(value) : value;
  if (SCHEMA_LIST_KEYS.includes(key) && Array.isArray(value)) return value.map(asSchema);
  if (SCHEMA_MAP_KEYS.includes(key) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, asSchema(entry)]));
  return value;
}

/** `true` allows all, as `{}` does, which more servers can read. */
const asSchema = (value: unknown): unknown => (isObject(value) ? normalise(value) : value === true ? {} : value);

const isType = (schema: Schema, type: string): boolean =>
  schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type));
