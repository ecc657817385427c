/** Builds the request in the words of the model's API. */

import { buildChatRequest, type RequestSource } from '../request/build-chat-request';

export function buildRequest(source: RequestSource): Record<string, unknown> {
  return buildChatRequest(source);
}
