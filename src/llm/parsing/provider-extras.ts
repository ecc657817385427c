/** Picks what only the provider understands, to be kept with the message and given back to it alone (P47, P49). */

import type { JsonObject, JsonValue } from '../../domain/loop';
import { isObject, type ForeignObject } from '../foreign-json';
import { cleanJson } from '../request/clean-text';

const MESSAGE_FIELDS = ['reasoning_details', 'thinking_blocks', 'extra_content'] as const;
const KNOWN_CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'type', 'index', 'function', 'custom', 'text_call']);

/** `{ reasoning_details?, thinking_blocks?, extra_content?, tool_calls? }`, the last by position of the call, null where it has none. */
export function providerExtrasOf(message: ForeignObject): JsonObject | null {
  const fields = MESSAGE_FIELDS.filter((field) => message[field] !== undefined && message[field] !== null);
  const calls = (Array.isArray(message.tool_calls) ? message.tool_calls : []).filter(isObject).map(extrasOfCall);
  const extras = {
    ...Object.fromEntries(fields.map((field) => [field, message[field]])),
    ...(calls.some((call) => call !== null) ? { tool_calls: calls } : {}),
  };
  return Object.keys(extras).length === 0 ? null : (cleanJson(extras) as JsonObject);
}

function extrasOfCall(call: ForeignObject): JsonObject | null {
  const entries = Object.entries(call).filter(([key, value]) => !KNOWN_CALL_FIELDS.has(key) && value !== undefined);
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Record<string, JsonValue>);
}
