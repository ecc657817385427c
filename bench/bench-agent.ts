/** The work of the turn benchmark: 20 turns, 19 tool calls with 1 kB of random text each. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { defineAgent, defineTool, type Agent } from '../src/index';

/** Random, so that Postgres does not compress it away. */
export const benchResult = (size: number): string =>
  randomBytes(Math.ceil(size / 2))
    .toString('hex')
    .slice(0, size);

export const createBenchAgent = (baseURL: string): Agent =>
  defineAgent({
    name: 'bench',
    model: { name: 'bench', baseURL, apiKey: 'bench' },
    limits: { steps: 1000 },
    tools: [
      defineTool({
        name: 'lookup',
        description: 'Looks something up',
        input: z.object({ size: z.number(), query: z.string() }),
        effect: 'read',
        run: ({ size }) => benchResult(size),
      }),
    ],
  });
