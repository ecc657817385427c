/** The strict check of one tool: as its author wrote it, and as an agent was given it. */

import { z } from 'zod';
import { TOOL_EFFECTS } from '../domain/tool-call';
import { assertFits } from './assert-fits';
import { anyFunction, nonEmptyText, positiveSeconds, toolName } from './field-schemas';

const common = {
  name: toolName,
  description: nonEmptyText,
  effect: z.enum(TOOL_EFFECTS).optional(),
  timeoutSeconds: positiveSeconds.optional(),
  taskQueue: nonEmptyText.optional(),
  onError: z.enum(['tell-model', 'fail']).optional(),
  run: anyFunction,
  reconcile: anyFunction.optional(),
};

const authored = z.strictObject({ ...common, input: z.unknown().optional(), inputSchema: z.unknown().optional() });
/** What `defineTool` and other sources of tools give. */
const erased = z.strictObject({
  ...common,
  effect: z.enum(TOOL_EFFECTS),
  inputSchema: z.custom(
    (value) => (value as { readonly type?: unknown } | null)?.type === 'object',
    'must be a JSON Schema of an object; use defineTool',
  ),
  source: z.string().optional(),
});

const nameOf = (value: unknown): string => {
  const name = (value as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? `tool "${name}"` : 'a tool';
};

/** @throws ConfigError */
export function assertToolFields(definition: unknown): void {
  assertFits(nameOf(definition), authored, definition);
}

/** @throws ConfigError */
export function assertTool(owner: string, tool: unknown): void {
  assertFits(`${owner}: ${nameOf(tool)}`, erased, tool);
}
