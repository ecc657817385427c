/** The built-in tool with which a model reads on in a long result that it was shown in part. */

import { z } from 'zod';
import type { Agent } from '../agents/agent';
import { defineTool } from '../agents/define-tool';
import type { ToolDefinition } from '../agents/tool';
import { isRowId, toId, type LoopId, type ToolCallId } from '../domain/ids';

export const READ_MORE = 'read_more';

/** The whole results of a loop's calls. */
export interface StoredResults {
  readonly find: (of: { readonly loopId: LoopId; readonly callId: ToolCallId }) => Promise<string | undefined>;
}

/** Room for the line that says which part is shown. */
const HEADER_CHARS = 120;

/** An agent that bounds what its model sees of a result can read on; one that has a tool of that name keeps its own. */
export function withReadMore(agent: Agent, results: StoredResults): Agent {
  const { maxToolResultChars, tools = [] } = agent;
  if (maxToolResultChars === undefined || tools.some((tool) => tool.name === READ_MORE)) return agent;
  return { ...agent, tools: [...tools, createReadMoreTool(results, maxToolResultChars)] };
}

/** Told in the place of what was left out; undefined where the agent has no such tool. */
export function howToReadOn({ tools = [] }: Pick<Agent, 'tools'>, callId: string): ((offset: number) => string) | undefined {
  const isOffered = tools.some((tool) => tool.name === READ_MORE);
  return isOffered ? (offset) => `Read on with ${READ_MORE} {"call":"${callId}","offset":${offset}}.` : undefined;
}

/** `maximum`: most characters at a time. */
export function createReadMoreTool(results: StoredResults, maximum: number): ToolDefinition {
  return defineTool({
    name: READ_MORE,
    description: 'Reads on in a long tool result of which a part was left out. The note in the result says which call and offset to give.',
    input: inputSchema,
    effect: 'read',
    run: async ({ call, offset }, { loop }) => {
      const whole = isRowId(call) ? await results.find({ loopId: loop.id, callId: toId(call) }) : undefined;
      if (whole === undefined) throw new Error(`there is no stored result of a call "${call}" in this conversation`);
      return partOf(whole, { from: offset, maximum: maximum - HEADER_CHARS });
    },
  });
}

const inputSchema = z.strictObject({
  call: z.string().describe('The call whose result to read, as the note says.'),
  offset: z.number().int().min(0).describe('The first character to read.'),
});

function partOf(whole: string, { from, maximum }: { readonly from: number; readonly maximum: number }): string {
  if (from >= whole.length) return `(The result ends before that: it has ${whole.length} characters.)`;
  const start = atCharacter(whole, from);
  const end = atCharacter(whole, Math.min(whole.length, start + maximum));
  const rest = end < whole.length ? `; read on from offset ${end}` : '; the end';
  return `[characters ${start} to ${end} of ${whole.length}${rest}]\n${whole.slice(start, end)}`;
}

/** Never in the middle of a character (P82). */
const atCharacter = (text: string, index: number): number =>
  /^[\uDC00-\uDFFF]/.test(text.slice(index, index + 1)) && index > 0 ? index - 1 : index;
