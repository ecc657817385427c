/** JSON Schemas that tools and outputs offer: made from what users give, compiled once, asked for issues (draft 2020-12). */

import type { ErrorObject, ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { SolidLoopError, messageOf } from '../domain/errors';
import type { JsonObject } from '../domain/loop';

/** What is wrong with a value: a path such as `books[0].title` (empty: the value itself) and a sentence. */
export interface SchemaIssue {
  readonly path: string;
  readonly message: string;
}

export type SchemaCheck = (value: unknown) => readonly SchemaIssue[];

/** The schema of a tool that takes nothing. */
export const EMPTY_OBJECT_SCHEMA: JsonObject = { type: 'object', properties: {} };

/** @throws ConfigError where the schema is not a JSON Schema that can be compiled */
export function compileJsonSchema(schema: JsonObject): SchemaCheck {
  const validate = compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(toIssue));
}

function compile(schema: JsonObject): ValidateFunction {
  // One instance a schema: two tools may use the same $id, and nothing is kept for ever.
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  addFormats(ajv);
  try {
    return ajv.compile(withoutDialect(schema));
  } catch (error) {
    throw new SolidLoopError('ConfigError', `not a usable JSON Schema: ${messageOf(error)}`, { cause: error });
  }
}

/** Schemas of other drafts are read as 2020-12: what tools use of them is the same. */
function withoutDialect(schema: JsonObject): JsonObject {
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

function toIssue(error: ErrorObject): SchemaIssue {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  const extra = error.keyword === 'additionalProperties' ? ` ("${String(error.params.additionalProperty)}")` : '';
  return { path: formatPath(path), message: `${error.message ?? 'is not allowed'}${extra}` };
}

const unescapePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

/** `['books', 0, 'title']` as `books[0].title`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (/^\d+$/.test(String(key))) return `${text}[${String(key)}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** `books[0].title: must be string; …` */
export function formatIssues(issues: readonly SchemaIssue[]): string {
  return issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}
