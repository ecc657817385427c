/** The types that authors see: proved by the compiler, which reads this file in the check of types. */

import { z } from 'zod';
import { defineAgent } from '../../../src/agents/define-agent';
import { defineTool, type ToolInput } from '../../../src/agents/define-tool';
import type { JsonObject } from '../../../src/domain/loop';

type Same<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
const same = <Left, Right>(_proof: Same<Left, Right>): void => undefined;

describe('the types of what authors write', () => {
  it('the output of the schema reaches run and reconcile', () => {
    const tool = defineTool({
      name: 'find',
      description: 'Finds.',
      input: z.object({ title: z.string(), limit: z.number().default(3), year: z.string().transform(Number) }),
      run: (input) => {
        same<typeof input, { title: string; limit: number; year: number }>(true);
        return input.title;
      },
      reconcile: ({ input }) => {
        same<typeof input, { title: string; limit: number; year: number }>(true);
        return { happened: true, result: input.year };
      },
    });

    expect(tool.name).toBe('find');
  });

  it('a plain JSON Schema, or none, gives a JSON object', () => {
    same<ToolInput<{ readonly type: 'object' }>, JsonObject>(true);
    const tool = defineTool({
      name: 'now',
      description: 'Now.',
      run: (input, context) => {
        same<typeof input, JsonObject>(true);
        same<typeof context.idempotencyKey, string>(true);
        return [input, context];
      },
    });

    expect(tool.effect).toBe('unsafe');
  });

  it('wrong words are refused by the compiler, and at run time', () => {
    // @ts-expect-error -- no such effect
    expect(() => defineTool({ name: 'x', description: 'x', effect: 'write', run: () => 1 })).toThrow(/effect/);
    // @ts-expect-error -- no such field
    expect(() => defineAgent({ name: 'x', model: { name: 'm' }, prompt: 'x' })).toThrow(/prompt/);
    // @ts-expect-error -- costs are exact decimals, as text
    expect(() => defineAgent({ name: 'x', model: { name: 'm' }, limits: { costUsd: 2 } })).toThrow(/costUsd/);
  });
});
