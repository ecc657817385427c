/** Builds the body of a Responses request: the same conversation, in the words of that API. Nothing is kept at the provider. */

import type { ContentPart } from '../../../domain/message';
import { traitsOf } from '../../families/provider-family';
import { isObject } from '../../foreign-json';
import { buildConversation } from '../../request/build-conversation';
import type { RequestSource } from '../../request/build-chat-request';
import { describeTools } from '../../request/chat-tools';
import type { AssistantItem, ConversationItem, UserContent } from '../../request/conversation';
import { toNamedSchema, withOutputPrompt } from '../../request/output-form';
import { toolParameters } from '../../request/tool-parameters';

type InputItem = Readonly<Record<string, unknown>>;

/** Models that think and whose thoughts come back encrypted, to be given to them again. */
const REASONING_MODELS = /^(o\d|gpt-5|codex)/i;

export function buildResponsesRequest(source: RequestSource): Record<string, unknown> {
  const { model, learnt = {}, output } = source;
  const traits = { ...traitsOf(model, learnt), replayExtras: true };
  const isFormRefused = learnt.responseFormat === false;
  const instructions = isFormRefused ? withOutputPrompt(source.instructions, output) : source.instructions;
  const items = buildConversation({ ...source, traits, instructions });
  const [first, ...others] = items;
  const { tools: ownTools, text, tool_choice: _choice, parallel_tool_calls: _parallel, ...parameters } = model.parameters ?? {};
  const described = describeTools(source.tools, items, traits).map((tool) => ({ type: 'function', ...tool, strict: false }));
  const tools = [...described, ...(Array.isArray(ownTools) ? (ownTools as readonly unknown[]) : [])];
  return {
    store: false,
    ...(REASONING_MODELS.test(model.name) && learnt.include !== false ? { include: ['reasoning.encrypted_content'] } : {}),
    ...withText(text, output === undefined || isFormRefused ? undefined : { type: 'json_schema', ...toNamedSchema(output, traits) }),
    ...parameters,
    model: model.name,
    ...(first?.role === 'system' ? { instructions: first.text } : {}),
    input: (first?.role === 'system' ? others : items).flatMap(toInputItems),
    ...(tools.length === 0 ? {} : { tools, ...toolParameters(model.parameters ?? {}, source.tools) }),
    stream: model.stream !== false && learnt.stream !== false,
  };
}

/** The agent's own words on the text (its verbosity) stay beside the form. */
const withText = (own: unknown, format: object | undefined): object =>
  own === undefined && format === undefined ? {} : { text: { ...(isObject(own) ? own : {}), ...(format === undefined ? {} : { format }) } };

function toInputItems(item: ConversationItem): readonly InputItem[] {
  switch (item.role) {
    case 'system':
      return [{ role: 'system', content: item.text }];
    case 'user':
      return [{ role: 'user', content: toInputContent(item.content) }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: item.callId, output: item.text }];
    case 'assistant':
      return toOutputItems(item);
  }
}

function toInputContent(content: UserContent): unknown {
  return typeof content === 'string' ? content : content.map(toInputPart);
}

function toInputPart(part: ContentPart): InputItem {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  return { type: 'input_image', image_url: part.image_url.url, detail: part.image_url.detail ?? 'auto' };
}

/** What the model thought comes before what it said and called, as it came. */
function toOutputItems({ text, calls, extras }: AssistantItem): readonly InputItem[] {
  const details = extras?.reasoning_details;
  const thoughts = Array.isArray(details) ? (details as readonly unknown[]).flatMap(toReasoningItem) : [];
  return [
    ...thoughts,
    ...(text === '' ? [] : [{ role: 'assistant', content: text }]),
    ...calls.map((call) => ({ type: 'function_call', call_id: call.id, name: call.name, arguments: call.arguments })),
  ];
}

/** Only what this API itself encrypted: see `createResponsesTranslator`. */
function toReasoningItem(detail: unknown): readonly InputItem[] {
  if (!isObject(detail) || detail.type !== 'reasoning.encrypted' || typeof detail.data !== 'string') return [];
  return [{ type: 'reasoning', id: detail.id, summary: detail.summaries ?? [], encrypted_content: detail.data }];
}
