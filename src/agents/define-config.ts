/** `defineConfig`: the agents of a project, and what all of them share. */

import { z } from 'zod';
import { SolidLoopError } from '../domain/errors';
import { SETTING_NAMES, type EngineSettings } from '../domain/settings';
import type { Agent, AgentHooks } from './agent';
import { assertFits } from './assert-fits';
import { assertAgentDefinition, assertNoRepeats, describeAgent } from './check-agent';
import { anyFunction, httpUrl, nonEmptyText, positiveInteger } from './field-schemas';
import type { LlmStack, ToolStack } from './middleware';

/** What `solidloop.config.ts` exports. */
export interface SolidLoopConfig {
  /** Made by `defineAgent`. */
  readonly agents: readonly Agent[];
  /** Changes of the default stacks, for all agents; an agent's own come after them. */
  readonly middleware?: {
    readonly llm?: (stack: LlmStack) => LlmStack;
    readonly tools?: (stack: ToolStack) => ToolStack;
  };
  /** What differs from the defaults. Seconds, positive whole numbers. */
  readonly settings?: Partial<EngineSettings>;
  /** What the environment does not name. */
  readonly database?: { readonly url?: string; readonly poolSize?: number };
  readonly temporal?: { readonly address?: string; readonly namespace?: string; readonly taskQueue?: string };
  /** What becomes of a loop whose workflow a person terminated in Temporal (R72). @default 'pause': it waits for `resume` */
  readonly onTerminated?: 'pause' | 'restart';
  /** Called for the loops of all agents, besides an agent's own hook. */
  readonly onLoopFinished?: NonNullable<AgentHooks['onLoopFinished']>;
  /** Called with a signed POST where a loop of any agent ends; at least once, under one `idempotency-key` for each end. */
  readonly webhook?: { readonly url: string; readonly secret: string };
}

const configSchema = z.strictObject({
  agents: z.array(z.unknown()),
  middleware: z.strictObject({ llm: anyFunction.optional(), tools: anyFunction.optional() }).optional(),
  settings: z.strictObject(Object.fromEntries(SETTING_NAMES.map((name) => [name, positiveInteger.optional()]))).optional(),
  database: z.strictObject({ url: nonEmptyText.optional(), poolSize: positiveInteger.optional() }).optional(),
  temporal: z
    .strictObject({ address: nonEmptyText.optional(), namespace: nonEmptyText.optional(), taskQueue: nonEmptyText.optional() })
    .optional(),
  onTerminated: z.enum(['pause', 'restart']).optional(),
  onLoopFinished: anyFunction.optional(),
  webhook: z.strictObject({ url: httpUrl, secret: nonEmptyText }).optional(),
});

/** @throws ConfigError that names the field, the value and what to do */
export function defineConfig(config: SolidLoopConfig): SolidLoopConfig {
  assertFits('the config', configSchema, config);
  for (const agent of config.agents) assertDefined(agent);
  assertNoRepeats('the config', 'agents', config.agents);
  return Object.freeze({ ...config });
}

/** Checked again: a JavaScript project may have passed anything. */
function assertDefined(agent: Agent): void {
  const { definitionHash, ...definition } = agent;
  assertAgentDefinition(definition);
  if (typeof definitionHash === 'string') return;
  throw new SolidLoopError('ConfigError', `the config: ${describeAgent(agent)} was not made by defineAgent; wrap it: defineAgent({ … })`, {
    field: 'agents',
  });
}
