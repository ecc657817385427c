/** Turns the calls in a message's text into calls of the message. The record keeps their blocks; the content goes on without them (R44). */

import type { LlmContext } from '../../../agents/middleware';
import { findRawAnswer } from '../../raw-answers';
import { findTextCalls } from './find-text-calls';
import type { TextCall } from './text-call';

/** Does nothing where there is no text or only a thought (P61), where native calls came, or where no tools were offered. */
export function applyTextCalls(context: LlmContext): void {
  const { rawMessage: message, tools, model } = context;
  const content = message?.content;
  if (message === undefined || typeof content !== 'string' || hasCalls(message) || tools.length === 0) return;
  if (findRawAnswer(context)?.isOpenThought === true) return;
  const found = findTextCalls(content, { tools, readsActions: /deepseek/i.test(model?.name ?? '') });
  if (found.calls.length === 0) return;
  context.rawMessage = {
    ...message,
    content: found.content === '' ? null : found.content,
    tool_calls: withoutRepeats(found.calls).map(toEntry),
    text_tool_calls: found.blocks,
  };
}

function hasCalls(message: Record<string, unknown>): boolean {
  return Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
}

/** The same name with the same arguments is one call. */
function withoutRepeats(calls: readonly TextCall[]): readonly TextCall[] {
  const seen = new Set<string>();
  return calls.filter((call) => {
    const key = JSON.stringify([call.name, call.arguments]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function toEntry(call: TextCall): Record<string, unknown> {
  const body = { ...(call.name === undefined ? {} : { name: call.name }), arguments: call.arguments };
  const { fault, ending } = call;
  return { type: 'function', function: body, text_call: { ...(fault && { fault }), ...(ending && { ending }) } };
}
