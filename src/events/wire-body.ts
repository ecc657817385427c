/** Takes the messages out of a request's body and puts them back, so that the text is the same to the byte. */

import type { JsonObject } from '../domain/loop';

/** Fields that hold the conversation, in the words of the known interfaces. */
const MESSAGE_FIELDS = ['messages', 'input'] as const;

/** The body with an empty array where its messages belong; at its end where the caller left no place. */
export function withPlaceForMessages(parameters: JsonObject, messages: readonly unknown[]): JsonObject {
  return messages.length === 0 || fieldOfMessages(parameters) !== undefined ? parameters : { ...parameters, messages: [] };
}

/** Puts serialised messages into the body that was stored without them. `parameters` is text that `JSON.stringify` made. */
export function joinBody(parameters: string, messages: readonly string[]): string {
  if (messages.length === 0) return parameters;
  const body = JSON.parse(parameters) as JsonObject;
  const field = fieldOfMessages(body);
  const entries = Object.entries(body).map(
    ([name, value]) => `${JSON.stringify(name)}:${name === field ? `[${messages.join(',')}]` : JSON.stringify(value)}`,
  );
  return `{${entries.join(',')}}`;
}

function fieldOfMessages(body: JsonObject): string | undefined {
  return MESSAGE_FIELDS.find((field) => {
    const value = Object.hasOwn(body, field) ? body[field] : undefined;
    return Array.isArray(value) && value.length === 0;
  });
}
