/** Asks for a final answer of a given form: by the provider's own parameter where it has one beside what is sent, else in words. */

import type { JsonObject } from '../../domain/loop';
import type { FamilyTraits } from '../families/provider-family';
import { toDialect } from './normalise-schema';

/** A named JSON Schema. */
export interface OutputForm {
  readonly name: string;
  readonly schema: JsonObject;
}

export interface FormatOptions {
  readonly traits: Pick<FamilyTraits, 'schemaBesideTools' | 'schemaDialect'>;
  readonly hasTools: boolean;
  readonly learnt: Readonly<Record<string, unknown>>;
}

/** Undefined: to be asked for in words. Small servers that constrain the answer cannot also let the model call tools. */
export function responseFormatOf(output: OutputForm | undefined, { traits, hasTools, learnt }: FormatOptions): JsonObject | undefined {
  if (output === undefined || learnt.responseFormat === false || (hasTools && !traits.schemaBesideTools)) return undefined;
  return { type: 'json_schema', json_schema: toNamedSchema(output, traits) };
}

/** With a name that is accepted; the schema goes as it was given, but to Gemini. The answer is checked against it as it was given. */
export function toNamedSchema(
  { name, schema }: OutputForm,
  { schemaDialect }: Pick<FamilyTraits, 'schemaDialect'>,
): { readonly name: string; readonly schema: JsonObject } {
  return {
    name: name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64),
    schema: schemaDialect === 'gemini' ? (toDialect(schema, schemaDialect) as JsonObject) : schema,
  };
}

export function withOutputPrompt(instructions: string | undefined, output: OutputForm | undefined): string | undefined {
  if (output === undefined) return instructions;
  const demand = `When you give your final answer, give one JSON value and nothing else: no text around it, no code fence. It must fit this JSON Schema:\n${JSON.stringify(output.schema)}`;
  return instructions === undefined || instructions.trim() === '' ? demand : `${instructions}\n\n${demand}`;
}
