/** Picks the provider's opaque fields that go back to the family that made them (P47, P49): byte for byte, or not at all. */

import type { TranscriptMessage } from '../../domain/message';
import type { JsonObject, JsonValue } from '../../domain/loop';
import type { FamilyTraits } from '../families/provider-family';
import { isObject } from '../foreign-json';

/** The only fields that are ever replayed. */
const MESSAGE_FIELDS = ['reasoning_details', 'thinking_blocks', 'extra_content'] as const;
const CALL_FIELDS = ['extra_content'] as const;

/** Of the metadata: who made the message, as `makerOf` names it. */
export const MADE_BY = 'made_by';

export interface ReplayedExtras {
  readonly message: JsonObject | undefined;
  /** By position of the call. */
  readonly calls: readonly (JsonObject | undefined)[];
}

const NOTHING: ReplayedExtras = { message: undefined, calls: [] };

/** Nothing where another provider or model made the message: it could not read its own kind of mark in them. */
export function replayedExtras(
  message: TranscriptMessage,
  { traits, madeBy }: { readonly traits: Pick<FamilyTraits, 'replayExtras'>; readonly madeBy: string },
): ReplayedExtras {
  const { providerExtras } = message;
  if (!traits.replayExtras || providerExtras === null) return NOTHING;
  const maker = message.metadata[MADE_BY];
  if (maker !== undefined && maker !== madeBy) return NOTHING;
  const calls = Array.isArray(providerExtras.tool_calls) ? (providerExtras.tool_calls as readonly unknown[]) : [];
  return {
    message: pick(providerExtras, MESSAGE_FIELDS),
    calls: calls.map((call) => (isObject(call) ? pick(call as JsonObject, CALL_FIELDS) : undefined)),
  };
}

function pick(from: JsonObject, fields: readonly string[]): JsonObject | undefined {
  const entries = fields.map((field) => [field, replayable(field, from[field])] as const).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** A thinking block without its signature is refused: it is left out whole (P49). */
function replayable(field: string, value: JsonValue | undefined): JsonValue | undefined {
  if (field !== 'thinking_blocks') return value ?? undefined;
  if (!Array.isArray(value)) return undefined;
  const signed = (value as readonly JsonValue[]).filter(
    (block) => isObject(block) && (block.type !== 'thinking' || (typeof block.signature === 'string' && block.signature.trim() !== '')),
  );
  return signed.length === 0 ? undefined : signed;
}
