/** The plainest agent loop there is, over HTTP and streamed: to see what a model does with tools, without our engine. */

import type OpenAI from 'openai';
import type { ToolContext } from '../../src/agents/tool';
import type { ToolDefinition } from '../../src/index';
import type { JsonObject } from '../../src/domain/loop';

type Message = OpenAI.Chat.ChatCompletionMessageParam;

const STEPS = 4;
const PARAMETERS = { temperature: 0, max_tokens: 128 };

export interface ToolLoopOptions {
  readonly openai: OpenAI;
  readonly model: string;
  readonly prompt: string;
  readonly tools: readonly ToolDefinition[];
  /** The messages of an earlier loop. */
  readonly history?: readonly Message[];
}

export interface ToolLoop {
  readonly calls: readonly { readonly name: string; readonly input: JsonObject }[];
  readonly answer: string;
  readonly finishReasons: readonly (string | null)[];
}

/** Ends with the first answer without calls. @throws Error if there is none within four steps */
export async function runToolLoop(options: ToolLoopOptions): Promise<{ readonly loop: ToolLoop; readonly messages: readonly Message[] }> {
  const { prompt, tools, history = [{ role: 'system', content: 'You are a helpful AI assistant.' }] } = options;
  const messages: Message[] = [...history, { role: 'user', content: prompt }];
  const calls: { readonly name: string; readonly input: JsonObject }[] = [];
  const finishReasons: (string | null)[] = [];
  for (let step = 0; step < STEPS; step++) {
    const turn = await streamTurn(options, messages);
    finishReasons.push(turn.finishReason);
    messages.push(turn.message);
    if (turn.toolCalls.length === 0) return { loop: { calls, answer: turn.text, finishReasons }, messages };
    for (const { id, name, text } of turn.toolCalls) {
      const input = JSON.parse(text) as JsonObject;
      calls.push({ name, input });
      messages.push({ role: 'tool', tool_call_id: id, content: await runTool(tools, name, input) });
    }
  }
  throw new Error(`no answer within ${STEPS} steps; the calls were ${JSON.stringify(calls)}`);
}

interface StreamedCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

interface Turn {
  readonly text: string;
  readonly toolCalls: readonly StreamedCall[];
  readonly finishReason: string | null;
  readonly message: Message;
}

async function streamTurn({ openai, model, tools }: ToolLoopOptions, messages: Message[]): Promise<Turn> {
  const stream = await openai.chat.completions.create({ model, messages, tools: tools.map(toOffer), stream: true, ...PARAMETERS });
  let text = '';
  let finishReason: string | null = null;
  const toolCalls: StreamedCall[] = [];
  for await (const { choices } of stream) {
    const choice = choices[0];
    text += choice?.delta.content ?? '';
    finishReason = choice?.finish_reason ?? finishReason;
    for (const delta of choice?.delta.tool_calls ?? []) {
      const known = toolCalls[delta.index] ?? { id: '', name: '', text: '' };
      toolCalls[delta.index] = {
        id: delta.id ?? known.id,
        name: delta.function?.name ?? known.name,
        text: known.text + (delta.function?.arguments ?? ''),
      };
    }
  }
  const calls = toolCalls.map(({ id, name, text: arguments_ }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: arguments_ },
  }));
  const message: Message = { role: 'assistant', content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  return { text, toolCalls, finishReason, message };
}

const toOffer = ({ name, description, inputSchema }: ToolDefinition): OpenAI.Chat.ChatCompletionTool => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
});

async function runTool(tools: readonly ToolDefinition[], name: string, input: JsonObject): Promise<string> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`the model called ${name}, which it was not offered`);
  // The example's tools look at their input only.
  return String(await tool.run(input, {} as ToolContext));
}
