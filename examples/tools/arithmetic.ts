/** The four operations, as tools: real work that a small model cannot do in its head. */

import { z } from 'zod';
import { defineTool } from '../../src/agents/define-tool';
import type { ToolDefinition } from '../../src/agents/tool';

const twoNumbers = z.object({ a: z.number(), b: z.number() });

function operation(name: string, description: string, compute: (a: number, b: number) => number): ToolDefinition {
  return defineTool({ name, description, input: twoNumbers, effect: 'read', run: ({ a, b }) => formatNumber(compute(a, b)) });
}

export const arithmeticTools: readonly ToolDefinition[] = [
  operation('add', 'Adds a and b.', (a, b) => a + b),
  operation('subtract', 'Subtracts b from a.', (a, b) => a - b),
  operation('multiply', 'Multiplies a by b.', (a, b) => a * b),
  operation('divide', 'Divides a by b.', (a, b) => {
    if (b === 0) throw new Error('division by zero has no result');
    return a / b;
  }),
];

/** 0.1 + 0.2 is told as 0.3: fifteen digits are what a double holds for certain. */
function formatNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Error('the result is too large for a number');
  return String(Number(value.toPrecision(15)));
}
