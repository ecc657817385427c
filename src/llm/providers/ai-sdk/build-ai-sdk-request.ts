/** Builds the call of a language model: the same conversation, in the words of the AI SDK. JSON only, so that the wire log can keep it. */

import type { ContentPart } from '../../../domain/message';
import { traitsOf } from '../../families/provider-family';
import { isObject, parseJson, textOf } from '../../foreign-json';
import { buildConversation } from '../../request/build-conversation';
import type { RequestSource } from '../../request/build-chat-request';
import { toNamedSchema } from '../../request/output-form';
import { describeTools } from '../../request/chat-tools';
import type { AssistantItem, CallItem, ConversationItem, UserContent } from '../../request/conversation';

type PromptPart = Readonly<Record<string, unknown>>;

/** Marks a thought of ours in `reasoning_details`: see `createPartTranslator`. */
export const AI_SDK_REASONING = 'ai-sdk.reasoning';

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

export function buildAiSdkRequest(source: RequestSource): Record<string, unknown> {
  const { model, learnt = {}, output } = source;
  const traits = { ...traitsOf(model, learnt), replayExtras: true, systemFirst: true };
  const items = buildConversation({ ...source, traits });
  const tools = describeTools(source.tools, items, traits).map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    inputSchema: parameters,
  }));
  return {
    ...(output === undefined ? {} : { responseFormat: { type: 'json', ...toNamedSchema(output, { schemaDialect: 'plain' }) } }),
    ...model.parameters,
    messages: items.map(toPromptMessage),
    ...(tools.length === 0 ? {} : { tools, toolChoice: { type: 'auto' } }),
    stream: model.stream !== false,
  };
}

function toPromptMessage(item: ConversationItem): PromptPart {
  switch (item.role) {
    case 'system':
      return { role: 'system', content: item.text };
    case 'user':
      return { role: 'user', content: toUserParts(item.content) };
    case 'tool':
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: item.callId, toolName: item.name, output: { type: 'text', value: item.text } }],
      };
    case 'assistant':
      return { role: 'assistant', content: toAssistantParts(item) };
  }
}

const toUserParts = (content: UserContent): readonly PromptPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(toUserPart);

function toUserPart(part: ContentPart): PromptPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { url } = part.image_url;
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  return { type: 'file', mediaType: mediaType ?? 'image/*', data: data ?? url };
}

function toAssistantParts({ text, calls, extras }: AssistantItem): readonly PromptPart[] {
  const details = extras?.reasoning_details;
  const thoughts = Array.isArray(details) ? (details as readonly unknown[]).flatMap(toReasoningPart) : [];
  return [...thoughts, ...(text === '' ? [] : [{ type: 'text', text }]), ...calls.map(toCallPart)];
}

function toReasoningPart(detail: unknown): readonly PromptPart[] {
  if (!isObject(detail) || detail.type !== AI_SDK_REASONING) return [];
  return [{ type: 'reasoning', text: textOf(detail.thought) ?? '', providerOptions: detail.provider_metadata }];
}

function toCallPart({ id, name, arguments: args, extras }: CallItem): PromptPart {
  const metadata = isObject(extras?.extra_content) ? extras.extra_content.provider_metadata : undefined;
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: parseJson(args),
    ...(metadata === undefined ? {} : { providerOptions: metadata }),
  };
}
