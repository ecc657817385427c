/** Reads an agent's output schema once: what the model is shown, and the check of its final answer. */

import type { OutputSchema } from '../../agents/agent';
import { compileJsonSchema, type SchemaIssue } from '../../agents/json-schema';
import { checkWithStandardSchema, isStandardSchema, toInputJsonSchema } from '../../agents/standard-schema';
import { SolidLoopError } from '../../domain/errors';
import type { JsonObject } from '../../domain/loop';
import { isObject } from '../foreign-json';
import type { OutputForm } from '../request/output-form';

export interface ReadOutput extends OutputForm {
  readonly check: (value: unknown) => Promise<readonly SchemaIssue[]>;
}

const readOutputs = new WeakMap<OutputSchema, ReadOutput>();

/** @throws ConfigError where the schema is neither a Standard Schema nor a JSON Schema */
export function readOutput(output: OutputSchema): ReadOutput {
  const existing = readOutputs.get(output);
  if (existing !== undefined) return existing;
  const made = readNew(output);
  readOutputs.set(output, made);
  return made;
}

function readNew({ name, schema }: OutputSchema): ReadOutput {
  if (isStandardSchema(schema)) {
    return { name, schema: toInputJsonSchema(schema), check: async (value) => issuesOf(await checkWithStandardSchema(schema, value)) };
  }
  if (!isObject(schema))
    throw new SolidLoopError('ConfigError', `the output schema "${name}" is neither a Standard Schema nor a JSON Schema`, {
      field: 'output',
    });
  const check = compileJsonSchema(schema as JsonObject);
  return { name, schema: schema as JsonObject, check: (value) => Promise.resolve(check(value)) };
}

const issuesOf = (checked: Awaited<ReturnType<typeof checkWithStandardSchema>>): readonly SchemaIssue[] =>
  checked.ok ? [] : checked.issues;
