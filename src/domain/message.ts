/** What a message of the transcript is (R7). */

import type { LoopId, MessageId, ToolCallId } from './ids';
import type { JsonObject } from './loop';

export const MESSAGE_ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

export const MESSAGE_STATUSES = ['pending', 'processing', 'success', 'failed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const MESSAGE_KINDS = ['plain', 'steering'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** A call as the transcript replays it: `arguments` is the JSON text that goes to the provider, always a whole JSON object. */
export interface TranscriptToolCall {
  readonly id: ToolCallId;
  /** The provider's id of the call; unique within one assistant message only. */
  readonly providerId: string;
  readonly name: string;
  readonly arguments: string;
}

/** A message as the model is to see it, in transcript order. `seq` is null only while a message waits as pending. */
export interface TranscriptMessage {
  readonly id: MessageId;
  readonly loopId: LoopId;
  readonly seq: number | null;
  readonly turnNumber: number | null;
  readonly role: MessageRole;
  readonly kind: MessageKind;
  readonly status: MessageStatus;
  readonly isHidden: boolean;
  readonly content: string | null;
  /** Set where the content is more than text: all of it, with its images; `content` then holds the text alone. */
  readonly contentParts?: readonly ContentPart[] | null;
  readonly reasoningContent: string | null;
  /** Calls of an assistant message, in order; empty otherwise. */
  readonly toolCalls: readonly TranscriptToolCall[];
  /** For a tool message: the row of the call it answers, and the provider's id of that call. */
  readonly toolCallRef: ToolCallId | null;
  readonly toolCallProviderId: string | null;
  /** Opaque fields of the provider that are replayed to its family only (signatures, reasoning_details, extra_content). */
  readonly providerExtras: JsonObject | null;
  readonly metadata: JsonObject;
  readonly errorMessage: string | null;
  readonly createdAt: Date;
}

/** Content that a client may give for a message: text, or parts with images (data or https urls). */
export type MessageContent = string | readonly ContentPart[];
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' } };
