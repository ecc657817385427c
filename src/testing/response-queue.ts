/** Which response of the queue a request takes: the first that matches. */

import type { RequestMatch, ScriptedResponse } from './script';

export interface QueuedResponse extends ScriptedResponse {
  left: number | 'always';
}

export interface ReceivedRequest {
  readonly path: string;
  readonly text: string;
  readonly body: unknown;
}

interface SentMessage {
  readonly role?: unknown;
  readonly content?: unknown;
}

/** Takes a response out of the queue, or leaves it there for its next request. Undefined: none matches. */
export function takeResponse(queue: QueuedResponse[], request: ReceivedRequest): ScriptedResponse | undefined {
  const index = queue.findIndex((response) => matches(response.match ?? {}, request));
  const response = queue[index];
  if (response === undefined) return undefined;
  if (response.left !== 'always') {
    response.left -= 1;
    if (response.left <= 0) queue.splice(index, 1);
  }
  return response;
}

function matches(match: RequestMatch, request: ReceivedRequest): boolean {
  const messages = messagesOf(request.body);
  const lastUser = messages.findLast((message) => message.role === 'user');
  const model = (request.body as { readonly model?: unknown } | null)?.model;
  return (
    (match.model === undefined || match.model === model) &&
    includes(textOf(lastUser), match.lastUserMessageContains) &&
    includes(textOf(messages.at(-1)), match.lastMessageContains) &&
    includes(request.text, match.bodyContains) &&
    (match.pathEndsWith === undefined || request.path.endsWith(match.pathEndsWith))
  );
}

function messagesOf(body: unknown): readonly SentMessage[] {
  const messages = (body as { readonly messages?: unknown } | null)?.messages;
  return Array.isArray(messages) ? (messages as readonly SentMessage[]) : [];
}

function textOf(message: SentMessage | undefined): string {
  return typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');
}

function includes(text: string, part: string | undefined): boolean {
  return part === undefined || text.includes(part);
}
