/** `defineAgent`: checks what a user gives, strictly and at once, and adds the definition's hash. */

import { SolidLoopError, isSolidLoopError } from '../domain/errors';
import type { JsonObject } from '../domain/loop';
import type { Agent, AgentDefinition } from './agent';
import { assertAgentDefinition, describeAgent } from './check-agent';
import { definitionHashOf } from './definition-hash';
import { compileJsonSchema } from './json-schema';
import { isPlainObject, isStandardSchema, toInputJsonSchema } from './standard-schema';

/** @throws ConfigError that names the agent, the field, the value and what to do */
export function defineAgent(definition: AgentDefinition): Agent {
  assertAgentDefinition(definition);
  if (definition.output !== undefined) assertOutputSchema(definition);
  return Object.freeze({ ...definition, definitionHash: definitionHashOf(definition) });
}

function assertOutputSchema(definition: AgentDefinition): void {
  const schema = definition.output?.schema;
  try {
    if (isStandardSchema(schema)) toInputJsonSchema(schema);
    else if (isPlainObject(schema)) compileJsonSchema(schema as JsonObject);
    else throw new SolidLoopError('ConfigError', 'must be a Standard Schema (zod …) or a JSON Schema object');
  } catch (error) {
    if (!isSolidLoopError(error, 'ConfigError')) throw error;
    throw new SolidLoopError('ConfigError', `${describeAgent(definition)}: output.schema: ${error.message}`, {
      cause: error,
      field: 'output.schema',
    });
  }
}
