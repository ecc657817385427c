/** Builds from a transcript the conversation that goes to the model: valid in itself, whatever happened before (R32, section E). */

import type { OfferedTool } from '../../agents/middleware';
import type { ModelSettings } from '../../agents/agent';
import type { ContentPart, TranscriptMessage } from '../../domain/message';
import { familyOf, type FamilyTraits, type ModelAddress } from '../families/provider-family';
import { isObject, parseJson } from '../foreign-json';
import { createCallIds } from './call-ids';
import { cleanJson, cleanText, hasUncleanEscapes } from './clean-text';
import type { AssistantItem, CallItem, ConversationItem, UserContent } from './conversation';
import { createNameEncoder } from './expose-tools';
import { mendOrder } from './mend-order';
import { pairTranscript, type CallPair } from './pair-transcript';
import { replayedExtras, type ReplayedExtras } from './replayed-extras';
import { stripThoughts } from './strip-thoughts';
import { renderToolResult } from './tool-result';

export interface ConversationSource {
  readonly model: ModelSettings;
  readonly traits: FamilyTraits;
  /** The system prompt; none where it is empty. */
  readonly instructions: string | undefined;
  readonly transcript: readonly TranscriptMessage[];
  readonly tools: readonly OfferedTool[];
}

interface Renderer {
  readonly source: ConversationSource;
  readonly idOf: ReturnType<typeof createCallIds>;
  readonly nameOf: ReturnType<typeof createNameEncoder>;
}

/** Names the provider and model that made a message: what is opaque in it is theirs alone. */
export const makerOf = (model: ModelAddress): string => `${familyOf(model).name}/${model.name}`;

export function buildConversation(source: ConversationSource): readonly ConversationItem[] {
  const renderer: Renderer = { source, idOf: createCallIds(source.traits), nameOf: createNameEncoder(source.tools) };
  const items = pairTranscript(source.transcript).flatMap((entry) =>
    entry.kind === 'calls' ? renderCalls(entry, renderer) : renderMessage(entry.message, renderer),
  );
  const instructions = cleanText(source.instructions ?? '');
  const system: readonly ConversationItem[] = instructions.trim() === '' ? [] : [{ role: 'system', text: instructions }];
  return mendOrder([...system, ...items], source.traits);
}

function renderMessage(message: TranscriptMessage, renderer: Renderer): readonly ConversationItem[] {
  const text = cleanText(message.content ?? '');
  if (message.role === 'system') return text.trim() === '' ? [] : [{ role: 'system', text }];
  if (message.role === 'assistant') return renderAnswer(message, renderer);
  const content = userContent(message, renderer.source.model.vision === true);
  return content.length === 0 ? [] : [{ role: 'user', content }];
}

function userContent(message: TranscriptMessage, vision: boolean): UserContent {
  const parts = message.contentParts?.filter((part) => part.type !== 'text' || part.text.trim() !== '') ?? [];
  if (parts.length === 0) return visible(cleanText(message.content ?? ''));
  const rendered = parts.map((part): ContentPart => {
    if (part.type === 'text') return { type: 'text', text: cleanText(part.text) };
    return vision ? part : { type: 'text', text: '[image: not shown, since this model takes no images]' };
  });
  const isTextOnly = rendered.every((part) => part.type === 'text');
  return isTextOnly ? rendered.map((part) => (part.type === 'text' ? part.text : '')).join('\n') : rendered;
}

/** White space alone is refused as no text. */
const visible = (text: string): string => (text.trim() === '' ? '' : text);

/** An answer without text is never sent (P53). */
function renderAnswer(message: TranscriptMessage, renderer: Renderer): readonly ConversationItem[] {
  const text = answerText(message);
  const extras = replayedExtras(message, { traits: renderer.source.traits, madeBy: makerOf(renderer.source.model) });
  return text === '' ? [] : [{ role: 'assistant', text, calls: [], ...(extras.message === undefined ? {} : { extras: extras.message }) }];
}

function answerText(message: TranscriptMessage): string {
  return visible(stripThoughts(cleanText(message.content ?? '')));
}

/** The calls, their results in the order of the calls, and after all of them the images that the results hold. */
function renderCalls(
  { message, pairs }: { readonly message: TranscriptMessage; readonly pairs: readonly CallPair[] },
  renderer: Renderer,
): readonly ConversationItem[] {
  const { source } = renderer;
  const extras = replayedExtras(message, { traits: source.traits, madeBy: makerOf(source.model) });
  const calls = pairs.map(({ call }, position) => renderCall(call, { renderer, extras, position }));
  const results = pairs.map(({ result }) => renderToolResult(result, { vision: source.model.vision === true }));
  const images = results.flatMap((result) => result.images);
  return [
    renderAssistant(message, { calls, extras, traits: source.traits }),
    ...calls.map((call, position): ConversationItem => ({
      role: 'tool',
      callId: call.id,
      name: call.name,
      text: results[position]?.text ?? '',
    })),
    ...(images.length === 0 ? [] : [{ role: 'user' as const, content: images }]),
  ];
}

function renderAssistant(
  message: TranscriptMessage,
  { calls, extras, traits }: { readonly calls: readonly CallItem[]; readonly extras: ReplayedExtras; readonly traits: FamilyTraits },
): AssistantItem {
  const reasoning = traits.replayReasoning === 'with-calls' ? cleanText(message.reasoningContent ?? '') : '';
  return {
    role: 'assistant',
    text: answerText(message),
    calls,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(extras.message === undefined ? {} : { extras: extras.message }),
  };
}

function renderCall(
  call: CallPair['call'],
  { renderer, extras, position }: { readonly renderer: Renderer; readonly extras: ReplayedExtras; readonly position: number },
): CallItem {
  const own = extras.calls[position];
  return {
    id: renderer.idOf(call),
    name: renderer.nameOf(call.name),
    arguments: renderArguments(call.arguments),
    ...(own === undefined ? {} : { extras: own }),
  };
}

/** Anything but a JSON object would break the server's own parser, for ever (P77). */
function renderArguments(text: string): string {
  const parsed = parseJson(text);
  if (!isObject(parsed)) return '{}';
  return hasUncleanEscapes(text) ? JSON.stringify(cleanJson(parsed)) : cleanText(text);
}
