import fc from 'fast-check';
import { capText } from '../../../src/tools/cap-text';
import { createReadMoreTool, howToReadOn, READ_MORE, withReadMore, type StoredResults } from '../../../src/tools/read-more';
import type { ToolContext, ToolDefinition } from '../../../src/agents/tool';
import { anyLoop } from '../../support/any-loop';
import { agentOf } from '../llm/support/turn';
import { tool } from '../llm/support/transcript';

const stored = (text: string): StoredResults => ({
  find: ({ loopId, callId }) => Promise.resolve(loopId === '7' && callId === '5' ? text : undefined),
});

const context = { loop: anyLoop() } as ToolContext;
const read = (of: ToolDefinition, offset: number, call = '5'): Promise<unknown> => of.run({ call, offset }, context);

describe('reading on in a long result', () => {
  test('P121: the note in a shortened result says how, and the tool answers what was left out', async () => {
    const whole = Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n');
    const agent = withReadMore(agentOf({ maxToolResultChars: 1_000 }), stored(whole));
    const shown = capText(whole, 1_000, howToReadOn(agent, '5'));
    expect(shown.length).toBeLessThanOrEqual(1_000);
    const [, call, offset] = /read_more \{"call":"(\d+)","offset":(\d+)\}/.exec(shown) ?? [];
    const [readMore] = agent.tools ?? [];
    if (readMore === undefined) throw new Error('the agent has no tool to read on');
    const part = String(await read(readMore, Number(offset), call));
    expect(part.length).toBeLessThanOrEqual(1_000);
    expect(part).toContain(whole.slice(Number(offset), Number(offset) + 800));
  });

  test('P121: an agent without a bound of its own has no such tool, nor one that has its own', () => {
    expect(withReadMore(agentOf({}), stored('')).tools).toBeUndefined();
    const own = agentOf({ maxToolResultChars: 1_000, tools: [tool(READ_MORE)] });
    expect(withReadMore(own, stored(''))).toBe(own);
    expect(howToReadOn(agentOf({}), '5')).toBeUndefined();
  });

  test('P121: the parts that are read one after the other are the whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 }),
        fc.integer({ min: 130, max: 300 }),
        async (whole, maximum) => {
          const readMore = createReadMoreTool(stored(whole), maximum);
          let text = '';
          while (text.length < whole.length) {
            const part = String(await read(readMore, text.length));
            text += part.slice(part.indexOf(']\n') + 2);
          }
          expect(text).toBe(whole);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('P121: past the end it says so, and a call of nobody is an error for the model', async () => {
    expect(await read(createReadMoreTool(stored('abc'), 1_000), 9)).toMatch(/has 3 characters/);
    await expect(read(createReadMoreTool(stored('abc'), 1_000), 0, '6')).rejects.toThrow(/no stored result of a call "6"/);
    await expect(read(createReadMoreTool(stored('abc'), 1_000), 0, "5' or 1=1")).rejects.toThrow(/no stored result/);
  });
});
