/** The agents of the fault tests: each turn asks for a tool of each effect, and each tool writes down what it did. */

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { AgentHooks } from '../../../src/agents/agent';
import { defineAgent } from '../../../src/agents/define-agent';
import { defineConfig, type SolidLoopConfig } from '../../../src/agents/define-config';
import { defineTool } from '../../../src/agents/define-tool';
import type { JsonObject } from '../../../src/domain/loop';
import type { ToolEffect } from '../../../src/domain/tool-call';
import { type Ledger, openLedger } from '../../../src/testing/faults/ledger';

/** Beside the ledger of side effects: the ends of loops that were told. */
export const endsPathOf = (ledgerPath: string): string => `${ledgerPath}.ends`;

/** Long enough for faults to strike inside a body. */
const BODY_MS = 100;

const TOOLS: readonly (readonly [string, ToolEffect])[] = [
  ['read_shelf', 'read'],
  ['set_label', 'idempotent'],
  ['send_letter', 'unsafe'],
];

function toolOf(name: string, effect: ToolEffect, ledger: Ledger) {
  return defineTool({
    name,
    description: `Acts with effect ${effect}`,
    input: z.object({ item: z.string().optional() }),
    effect,
    run: async (_input, { idempotencyKey, signal }) => {
      await delay(BODY_MS, undefined, { signal });
      ledger.append({ key: idempotencyKey, tool: name, effect });
      return `tool-result of ${name}`;
    },
  });
}

/** Has the shelf read by a loop of its own, which the parent does not wait for. */
const delegateTo = (ledger: Ledger) =>
  defineTool({
    name: 'read_shelf',
    description: 'Has a shelf read by another loop',
    input: z.object({ item: z.string().optional() }),
    effect: 'idempotent',
    run: async (_input, { idempotencyKey, startLoop }) => {
      await startLoop({ agent: 'worker', message: `go, child ${idempotencyKey}` });
      ledger.append({ key: idempotencyKey, tool: 'read_shelf', effect: 'idempotent' });
      return 'tool-result of a child that was started';
    },
  });

/** A message of the first answer's hook, under that message's own key. */
const steerAfterFirstAnswer: NonNullable<AgentHooks['onMessageCreated']> = async ({ message, messageId }, { control }) => {
  if (message.role === 'assistant' && message.turnNumber === 1)
    await control({ verb: 'steer', message: `and what the hook of ${messageId} says` }, `hook-${messageId}`);
};

/**
 * `worker`: checkpoint and response in one transaction. `layered`: a middleware of the user's stands between them. `sequential`: one call at
 * a time, a rate, a second model. `parent`: starts a loop in each turn. `hooked`: its hook steers, and its end is told.
 */
export function config({ modelUrl, ledgerPath }: JsonObject): SolidLoopConfig {
  const ledger = openLedger(ledgerPath as string);
  const ends = openLedger(endsPathOf(ledgerPath as string));
  const tools = TOOLS.map(([name, effect]) => toolOf(name, effect, ledger));
  const model = {
    name: 'scripted-model',
    baseURL: modelUrl as string,
    apiKey: 'sk-test',
    readTimeoutSeconds: 10,
    price: { inputPerMillion: '1', outputPerMillion: '2' },
  };
  const hooks = { onMessageCreated: () => undefined };
  return defineConfig({
    agents: [
      defineAgent({ name: 'worker', model, tools, hooks }),
      defineAgent({
        name: 'layered',
        model,
        tools,
        hooks,
        middleware: { tools: (stack) => stack.insertAfter('tool-execution', async (_context, next) => next(), 'audit') },
      }),
      defineAgent({
        name: 'sequential',
        toolCalls: 'sequential',
        model: { ...model, requestsPerMinute: 100_000 },
        fallbacks: [{ model: { ...model, name: 'second-model' } }],
        tools,
        hooks,
      }),
      defineAgent({ name: 'parent', model, tools: [delegateTo(ledger), ...tools.slice(1)], hooks }),
      defineAgent({
        name: 'hooked',
        model,
        tools,
        hooks: {
          onMessageCreated: steerAfterFirstAnswer,
          onLoopFinished: ({ key }) => ends.append({ key, tool: 'onLoopFinished', effect: 'idempotent' }),
        },
      }),
    ],
  });
}
