/** Standard Schemas (zod, valibot, arktype …): told from plain JSON Schemas, turned into them, asked for the checked value. */

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { toJSONSchema, type core } from 'zod';
import { SolidLoopError, messageOf } from '../domain/errors';
import type { JsonObject } from '../domain/loop';
import { formatPath, type SchemaIssue } from './json-schema';

/** A schema object has methods; some vendors make it a function. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isStandardSchema(value);
}

/**
 * The schema of what the model is to send: fields with a default stay optional, transforms show their input.
 * @throws ConfigError where the vendor gives no JSON Schema, or a part has no JSON form (dates, maps, functions)
 */
export function toInputJsonSchema(schema: StandardSchemaV1): JsonObject {
  try {
    const { $schema: _dialect, ...converted } = convert(schema);
    return converted;
  } catch (error) {
    if (error instanceof SolidLoopError) throw error;
    throw new SolidLoopError('ConfigError', `cannot be written as JSON Schema: ${messageOf(error)}; use types that JSON has`, {
      cause: error,
    });
  }
}

function convert(schema: StandardSchemaV1): JsonObject {
  const { vendor } = schema['~standard'];
  if (vendor === 'zod' && '_zod' in schema) return toJSONSchema(schema as unknown as core.$ZodType, { io: 'input' }) as JsonObject;
  if (hasJsonSchema(schema)) return schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject;
  throw new SolidLoopError('ConfigError', `a schema of "${vendor}" does not tell its JSON Schema; give it beside, as inputSchema`);
}

function hasJsonSchema(schema: StandardSchemaV1): schema is StandardSchemaV1 & StandardJSONSchemaV1 {
  return 'jsonSchema' in schema['~standard'];
}

export type CheckedValue<Output> =
  { readonly ok: true; readonly value: Output } | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** Checks and transforms, as the schema's author meant it. */
export async function checkWithStandardSchema<Output>(
  schema: StandardSchemaV1<unknown, Output>,
  value: unknown,
): Promise<CheckedValue<Output>> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(toSchemaIssue) };
}

function toSchemaIssue(issue: StandardSchemaV1.Issue): SchemaIssue {
  const path = (issue.path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment));
  return { path: formatPath(path), message: issue.message };
}
