/** A conversation that any provider accepts, before it is written in one provider's words: repaired, paired, in order. */

import type { ContentPart } from '../../domain/message';
import type { JsonObject } from '../../domain/loop';

export type UserContent = string | readonly ContentPart[];

/** A call and the one result that follows it; ids and names are already those of the provider. */
export interface CallItem {
  readonly id: string;
  readonly name: string;
  /** JSON text of an object. */
  readonly arguments: string;
  /** Opaque fields of the provider, replayed with the call. */
  readonly extras?: JsonObject;
}

export interface AssistantItem {
  readonly role: 'assistant';
  /** Empty only beside calls. */
  readonly text: string;
  readonly calls: readonly CallItem[];
  readonly reasoning?: string;
  readonly extras?: JsonObject;
}

export interface ToolItem {
  readonly role: 'tool';
  readonly callId: string;
  readonly name: string;
  /** Never empty. */
  readonly text: string;
}

export type ConversationItem =
  { readonly role: 'system'; readonly text: string } | { readonly role: 'user'; readonly content: UserContent } | AssistantItem | ToolItem;
