/** The agents of the fault tests: each turn asks for a tool of each effect, and each tool writes down what it did. */

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { defineAgent } from '../../../src/agents/define-agent';
import { defineConfig, type SolidLoopConfig } from '../../../src/agents/define-config';
import { defineTool } from '../../../src/agents/define-tool';
import type { JsonObject } from '../../../src/domain/loop';
import type { ToolEffect } from '../../../src/domain/tool-call';
import { type Ledger, openLedger } from '../../../src/testing/faults/ledger';

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

/** `worker`: checkpoint and response in one transaction. `layered`: a middleware of the user's stands between them. */
export function config({ modelUrl, ledgerPath }: JsonObject): SolidLoopConfig {
  const ledger = openLedger(ledgerPath as string);
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
    ],
  });
}
