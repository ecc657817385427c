/** The baseline's activities: one row a message, one read and one insert an activity, the openai client's own streaming. */

import OpenAI from 'openai';
import type { Pool } from 'pg';
import { benchResult } from '../bench-agent';

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}

export const BASELINE_TABLE = 'create table if not exists baseline_messages (loop text, seq int, message jsonb, primary key (loop, seq))';

export function createBaselineActivities(pool: Pool, baseURL: string) {
  const openai = new OpenAI({ baseURL, apiKey: 'bench', maxRetries: 0 });
  const load = async (loop: string): Promise<Message[]> =>
    (await pool.query<{ message: Message }>('select message from baseline_messages where loop = $1 order by seq', [loop])).rows.map(
      ({ message }) => message,
    );
  const append = (loop: string, seq: number, message: Message) =>
    pool.query('insert into baseline_messages values ($1, $2, $3) on conflict do nothing', [loop, seq, JSON.stringify(message)]);

  return {
    async callModel(loop: string, seq: number): Promise<{ calls: number }> {
      const messages = [{ role: 'user', content: 'go on' }, ...(await load(loop))];
      const stream = await openai.chat.completions.create({
        model: 'bench',
        messages: messages as never,
        stream: true,
        stream_options: { include_usage: true },
        tools: [
          {
            type: 'function',
            function: {
              name: 'lookup',
              parameters: { type: 'object', properties: { size: { type: 'number' }, query: { type: 'string' } } },
            },
          },
        ],
      });
      let content = '';
      const calls: NonNullable<Message['tool_calls']> = [];
      for await (const { choices } of stream) {
        const delta = choices[0]?.delta;
        content += delta?.content ?? '';
        for (const piece of delta?.tool_calls ?? []) {
          const call = (calls[piece.index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } });
          call.id ||= piece.id ?? '';
          call.function.name ||= piece.function?.name ?? '';
          call.function.arguments += piece.function?.arguments ?? '';
        }
      }
      await append(loop, seq, { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) });
      return { calls: calls.length };
    },
    async runTool(loop: string, at: number, index: number, seq: number): Promise<void> {
      const { rows } = await pool.query<{ message: Message }>('select message from baseline_messages where loop = $1 and seq = $2', [
        loop,
        at,
      ]);
      const call = rows[0]?.message.tool_calls?.[index];
      const { size } = JSON.parse(call?.function.arguments ?? '{}') as { size: number };
      await append(loop, seq, { role: 'tool', tool_call_id: call?.id ?? '', content: benchResult(size) });
    },
  };
}
