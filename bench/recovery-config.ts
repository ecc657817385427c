/** The agent of `recovery.ts`: one tool that takes a second. */

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { defineAgent } from '../src/agents/define-agent';
import { defineConfig, type SolidLoopConfig } from '../src/agents/define-config';
import { defineTool } from '../src/agents/define-tool';
import type { JsonObject } from '../src/domain/loop';

/** How long a body runs, and how long the model thinks. */
export const STEP_MS = 1_000;

export function config({ modelUrl }: JsonObject): SolidLoopConfig {
  const look = defineTool({
    name: 'look',
    description: 'Looks',
    input: z.object({}),
    effect: 'read',
    run: async (_input, { signal }) => {
      await delay(STEP_MS, undefined, { signal });
      return 'seen';
    },
  });
  const model = { name: 'scripted-model', baseURL: modelUrl as string, apiKey: 'sk-test' };
  return defineConfig({ agents: [defineAgent({ name: 'looker', model, tools: [look] })] });
}
