/** Makes transcripts for tests: rows as the database gives them, with ids that count up. */

import { toId, type LoopId, type MessageId, type ToolCallId } from '../../../../src/domain/ids';
import type { TranscriptMessage, TranscriptToolCall } from '../../../../src/domain/message';
import type { OfferedTool } from '../../../../src/agents/middleware';
import type { ToolDefinition } from '../../../../src/agents/tool';
import { exposeTools } from '../../../../src/llm/request/expose-tools';

export type Row = Partial<TranscriptMessage> & Pick<TranscriptMessage, 'role'>;

let lastId = 0;
const nextId = <Id extends string>(): Id => toId<Id>((lastId += 1));

export const row = (fields: Row): TranscriptMessage => ({
  id: nextId<MessageId>(),
  loopId: toId<LoopId>(1),
  seq: lastId,
  turnNumber: 1,
  kind: 'plain',
  status: 'success',
  isHidden: false,
  content: null,
  reasoningContent: null,
  toolCalls: [],
  toolCallRef: null,
  toolCallProviderId: null,
  providerExtras: null,
  metadata: {},
  errorMessage: null,
  createdAt: new Date(0),
  ...fields,
});

export const user = (content: string, fields: Partial<TranscriptMessage> = {}): TranscriptMessage =>
  row({ role: 'user', content, ...fields });
export const system = (content: string): TranscriptMessage => row({ role: 'system', content });
export const answer = (content: string | null, fields: Partial<TranscriptMessage> = {}): TranscriptMessage =>
  row({ role: 'assistant', content, ...fields });

export const call = (providerId: string, name = 'f', args = '{}'): TranscriptToolCall => ({
  id: nextId<ToolCallId>(),
  providerId,
  name,
  arguments: args,
});

export const calls = (toolCalls: readonly TranscriptToolCall[], fields: Partial<TranscriptMessage> = {}): TranscriptMessage =>
  row({ role: 'assistant', toolCalls, ...fields });

export const result = (of: TranscriptToolCall, content: string | null, fields: Partial<TranscriptMessage> = {}): TranscriptMessage =>
  row({ role: 'tool', content, toolCallRef: of.id, toolCallProviderId: of.providerId, ...fields });

export const tool = (name: string, fields: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: 'object', properties: {} },
  effect: 'read',
  run: () => Promise.resolve('done'),
  ...fields,
});

export const offered = (...names: readonly string[]): readonly OfferedTool[] => exposeTools(names.map((name) => ({ tool: tool(name) })));
