/** The strict check of an agent's definition. */

import { z } from 'zod';
import { SolidLoopError } from '../domain/errors';
import type { AgentDefinition, FallbackReason } from './agent';
import { assertFits } from './assert-fits';
import { modelSchema } from './check-model';
import { assertTool } from './check-tool';
import { anyFunction, decimalText, httpHeaders, httpUrl, nonEmptyText, plainName, positiveInteger, positiveSeconds } from './field-schemas';

/** What the strictest of the common providers takes. */
export const MAX_TOOLS = 128;
/** Below this, the note on what was left out would be all that a model sees. */
const MIN_TOOL_RESULT_CHARS = 1_000;

const FALLBACK_REASONS = [
  'rate-limit',
  'overloaded',
  'quota',
  'server-error',
  'timeout',
  'content-filter',
  'context-limit',
  'not-found',
] as const satisfies readonly FallbackReason[];

const limits = z.strictObject({
  steps: positiveInteger.optional(),
  tokens: positiveInteger.optional(),
  costUsd: decimalText.optional(),
  durationSeconds: positiveSeconds.optional(),
});

const mcpServer = z
  .strictObject({
    name: plainName,
    url: httpUrl.optional(),
    headers: httpHeaders.optional(),
    command: nonEmptyText.optional(),
    args: z.array(z.string()).optional(),
    timeoutSeconds: positiveSeconds.optional(),
    allow: z.array(nonEmptyText).optional(),
    toolset: z.unknown().optional(),
    transport: z.unknown().optional(),
  })
  .refine(
    ({ url, command, toolset, transport }) => [url, command, toolset, transport].filter((way) => way !== undefined).length === 1,
    'must have exactly one of url, command, toolset, transport',
  );

const textOrFunction = z.custom((value) => typeof value === 'string' || typeof value === 'function', 'must be text or a function');

const definitionSchema = z.strictObject({
  name: plainName,
  model: z.unknown().refine((model) => model !== undefined, 'is missing'),
  fallbacks: z.array(z.strictObject({ model: modelSchema, on: z.array(z.enum(FALLBACK_REASONS)).optional() })).optional(),
  instructions: textOrFunction.optional(),
  tools: z.array(z.unknown()).max(MAX_TOOLS, `may hold at most ${MAX_TOOLS} tools, which is what providers take`).optional(),
  mcp: z.array(mcpServer).optional(),
  toolCalls: z.enum(['parallel', 'sequential']).optional(),
  maxParallelToolCalls: positiveInteger.optional(),
  maxCallsPerTurn: positiveInteger.optional(),
  turnTimeoutSeconds: positiveSeconds.optional(),
  limits: limits.optional(),
  principal: anyFunction.optional(),
  searchSubject: anyFunction.optional(),
  hooks: z
    .strictObject({
      onMessageCreated: anyFunction.optional(),
      onLoopFinished: anyFunction.optional(),
      onMcpSessionInitialized: anyFunction.optional(),
    })
    .optional(),
  middleware: z.strictObject({ llm: anyFunction.optional(), tools: anyFunction.optional() }).optional(),
  onToolError: z.enum(['tell-model', 'fail']).optional(),
  context: z
    .strictObject({
      kind: z.enum(['end', 'drop-oldest', 'summarise']),
      at: z
        .custom<number>(
          (value) => typeof value === 'number' && value > 0 && value <= 1,
          'must be a part of the window, over 0 and at most 1',
        )
        .optional(),
      keepTurns: positiveInteger.optional(),
    })
    .optional(),
  output: z.strictObject({ name: plainName, schema: z.custom((value) => value !== undefined && value !== null, 'is missing') }).optional(),
  maxToolResultChars: positiveInteger
    .refine((value) => value >= MIN_TOOL_RESULT_CHARS, `must be at least ${MIN_TOOL_RESULT_CHARS}`)
    .optional(),
  textToolCalls: z.boolean().optional(),
});

/** @throws ConfigError that names the agent, the field, the value and what to do */
export function assertAgentDefinition(definition: unknown): asserts definition is AgentDefinition {
  const owner = describeAgent(definition);
  assertFits(owner, definitionSchema, definition);
  const { model, tools = [], mcp = [] } = definition as AgentDefinition;
  if (typeof model !== 'function') assertFits(owner, z.object({ model: modelSchema }), { model });
  for (const tool of tools) assertTool(owner, tool);
  assertNoRepeats(owner, 'tools', tools);
  assertNoRepeats(owner, 'mcp', mcp);
}

/** `agent "librarian"`, as errors name it. */
export function describeAgent(definition: unknown): string {
  const name = (definition as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? `agent "${name}"` : 'an agent';
}

/** @throws ConfigError where two of a list have one name */
export function assertNoRepeats(owner: string, field: string, named: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name))
      throw new SolidLoopError('ConfigError', `${owner}: ${field} holds "${name}" twice; give each a name of its own`, { field });
    seen.add(name);
  }
}
