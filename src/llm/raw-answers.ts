/** The raw answer of a turn, kept beside its context: what middlewares may change is on the context, what was measured is here. */

import type { LlmContext } from '../agents/middleware';
import type { RawAnswer } from './stream/raw-answer';

const answers = new WeakMap<LlmContext, RawAnswer>();

export function setRawAnswer(context: LlmContext, answer: RawAnswer): void {
  answers.set(context, answer);
  context.rawMessage = { ...answer.message };
  context.finishReason = answer.finishReason;
}

/** Undefined where a middleware of the host took the place of the network call: then only the context's message and finish reason are known. */
export function findRawAnswer(context: LlmContext): RawAnswer | undefined {
  return answers.get(context);
}
