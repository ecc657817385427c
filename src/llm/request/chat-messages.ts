/** Writes a conversation as messages of chat completions: a fixed list of fields and nothing else (P83). */

import type { FamilyTraits } from '../families/provider-family';
import type { AssistantItem, ConversationItem } from './conversation';

export type ChatMessage = Readonly<Record<string, unknown>>;

export function toChatMessages(
  items: readonly ConversationItem[],
  traits: Pick<FamilyTraits, 'emptyContent' | 'replayReasoning'>,
): readonly ChatMessage[] {
  return items.map((item) => {
    switch (item.role) {
      case 'system':
        return { role: 'system', content: item.text };
      case 'user':
        return { role: 'user', content: item.content };
      case 'tool':
        return { role: 'tool', tool_call_id: item.callId, content: item.text };
      case 'assistant':
        return toAssistant(item, traits);
    }
  });
}

function toAssistant(item: AssistantItem, { emptyContent }: Pick<FamilyTraits, 'emptyContent'>): ChatMessage {
  const empty = emptyContent === 'null' ? null : '';
  return {
    role: 'assistant',
    content: item.text === '' ? empty : item.text,
    ...(item.reasoning === undefined ? {} : { reasoning_content: item.reasoning }),
    ...item.extras,
    ...(item.calls.length === 0
      ? {}
      : {
          tool_calls: item.calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: call.arguments },
            ...call.extras,
          })),
        }),
  };
}
