/** Builds the body of a chat completions request (R32): a pure function of what is known before it is sent. */

import { traitsOf } from '../families/provider-family';
import { buildConversation, type ConversationSource } from './build-conversation';
import { toChatMessages } from './chat-messages';
import { describeTools, toChatTool } from './chat-tools';
import { withOutputPrompt, responseFormatOf, type OutputForm } from './output-form';
import { toolParameters } from './tool-parameters';

export type RequestSource = Omit<ConversationSource, 'traits'> & {
  /** Facts learnt from this endpoint's refusals: they overrule family and agent. */
  readonly learnt?: Readonly<Record<string, unknown>>;
  /** The schema of the final answer, where the agent wants one. */
  readonly output?: OutputForm | undefined;
};

export function buildChatRequest(source: RequestSource): Record<string, unknown> {
  const { model, learnt = {}, output } = source;
  const traits = traitsOf(model, learnt);
  const hasTools = source.tools.length > 0;
  const format = responseFormatOf(output, { traits, hasTools, learnt });
  const items = buildConversation({
    ...source,
    traits,
    instructions: format === undefined ? withOutputPrompt(source.instructions, output) : source.instructions,
  });
  const {
    tools: ownTools,
    stream_options: streamOptions,
    tool_choice: _choice,
    parallel_tool_calls: _parallel,
    ...parameters
  } = model.parameters ?? {};
  const tools = [
    ...describeTools(source.tools, items, traits).map(toChatTool),
    ...(Array.isArray(ownTools) ? (ownTools as readonly unknown[]) : []),
  ];
  const isStreamed = model.stream !== false && learnt.stream !== false;
  return {
    ...(format === undefined ? {} : { response_format: format }),
    ...parameters,
    model: model.name,
    messages: toChatMessages(items, traits),
    ...(tools.length === 0 ? {} : { tools, ...toolParameters(model.parameters ?? {}, source.tools) }),
    ...(isStreamed ? { stream: true } : { stream: false }),
    ...(isStreamed && traits.streamUsage
      ? { stream_options: { include_usage: true, ...(typeof streamOptions === 'object' ? streamOptions : {}) } }
      : {}),
  };
}
