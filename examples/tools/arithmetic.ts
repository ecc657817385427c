/** The four operations, as tools. Their descriptions hold the words that people use: a small model goes by them. */

import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../src/index';

const twoNumbers = z.object({ a: z.number(), b: z.number() });

function operation(name: string, description: string, compute: (a: number, b: number) => number): ToolDefinition {
  return defineTool({ name, description, input: twoNumbers, effect: 'read', run: ({ a, b }) => formatNumber(compute(a, b)) });
}

export const arithmeticTools: readonly ToolDefinition[] = [
  operation('add', 'Add two numbers: a plus b, a + b.', (a, b) => a + b),
  operation('subtract', 'Subtract: a minus b, a - b.', (a, b) => a - b),
  operation('multiply', 'Multiply two numbers: a times b, a * b.', (a, b) => a * b),
  operation('divide', 'Divide two numbers: a divided by b, a / b.', (a, b) => {
    if (b === 0) throw new Error('division by zero has no result');
    return a / b;
  }),
];

/** 0.1 + 0.2 is told as 0.3: fifteen digits are what a double holds for certain. */
function formatNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Error('the result is too large for a number');
  return String(Number(value.toPrecision(15)));
}
