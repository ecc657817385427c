/** Writes a schema in the part of OpenAPI that Gemini knows: whatever else is in it is refused (P94). */

import { isObject, type ForeignObject } from '../foreign-json';
import { findReferenced } from './top-of-schema';

type Schema = Record<string, unknown>;

/** Taken over as they are. */
const PLAIN_KEYS: readonly string[] = [
  'title',
  'description',
  'default',
  'nullable',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
];
const FORMATS: readonly unknown[] = ['date-time', 'enum', 'int32', 'int64', 'float', 'double'];
/** A schema may hold itself: further in, anything goes. */
const DEPTH_MAXIMUM = 6;

interface Place {
  readonly root: ForeignObject;
  readonly depth: number;
  /** References on the way here. */
  readonly within: readonly string[];
}

export function toGeminiSchema(schema: ForeignObject): Schema {
  return convert(schema, { root: schema, depth: 0, within: [] });
}

function convert(given: ForeignObject, place: Place): Schema {
  const { schema, within } = resolve(given, place);
  const inner = (value: unknown): Schema => (isObject(value) ? convert(value, { ...place, depth: place.depth + 1, within }) : {});
  const kept: Schema = Object.fromEntries(Object.entries(schema).filter(([key]) => PLAIN_KEYS.includes(key)));
  Object.assign(kept, typesOf(schema), choicesOf(schema, inner), valuesOf(schema));
  if (FORMATS.includes(schema.format)) kept.format = schema.format;
  const items = schema.items ?? (Array.isArray(schema.prefixItems) ? { anyOf: schema.prefixItems } : undefined);
  if (items !== undefined) kept.items = inner(isObject(items) ? items : { anyOf: schema.prefixItems ?? [] });
  const { properties } = schema;
  if (isObject(properties)) {
    const known = Object.entries(properties).filter(([, value]) => value !== false);
    kept.properties = Object.fromEntries(known.map(([name, value]) => [name, inner(value)]));
    const required = Array.isArray(schema.required) ? schema.required.filter((name) => known.some(([key]) => key === name)) : [];
    if (required.length > 0) kept.required = required;
  }
  return kept;
}

/** Gemini follows no reference: what it stands for is put in its place, but not within itself. */
function resolve(
  schema: ForeignObject,
  { root, within, depth }: Place,
): { readonly schema: ForeignObject; readonly within: readonly string[] } {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string') return { schema, within };
  const found = within.includes($ref) || depth > DEPTH_MAXIMUM ? undefined : findReferenced($ref, root);
  return { schema: { ...(found ?? { type: 'object' }), ...beside }, within: [...within, $ref] };
}

/** One type, and `nullable`; several types are a choice. */
function typesOf({ type }: ForeignObject): Schema {
  if (!Array.isArray(type)) return type === undefined ? {} : { type };
  const types = type.filter((name) => name !== 'null');
  const nullable = types.length < type.length ? { nullable: true } : {};
  return types.length === 1
    ? { type: types[0] as unknown, ...nullable }
    : { anyOf: types.map((name: unknown) => ({ type: name })), ...nullable };
}

function choicesOf({ anyOf, oneOf, allOf }: ForeignObject, inner: (value: unknown) => Schema): Schema {
  const [choices] = [anyOf, oneOf, allOf].filter((list) => Array.isArray(list));
  if (choices === undefined) return {};
  const isNull = (choice: unknown): boolean => isObject(choice) && choice.type === 'null';
  const real = choices.filter((choice) => !isNull(choice)).map(inner);
  const nullable = real.length < choices.length ? { nullable: true } : {};
  return real.length === 1 ? { ...real[0], ...nullable } : { anyOf: real, ...nullable };
}

/** Only texts may be listed; other values are said in words. */
function valuesOf(schema: ForeignObject): Schema {
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (!Array.isArray(values)) return {};
  const texts = values.filter((value) => typeof value === 'string');
  const nullable = values.includes(null) ? { nullable: true } : {};
  if (texts.length > 0) return { type: 'string', enum: texts, ...nullable };
  const said = `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.`;
  return { description: typeof schema.description === 'string' ? `${schema.description} ${said}` : said, ...nullable };
}
