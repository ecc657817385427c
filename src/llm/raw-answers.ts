/** What came of a request, kept beside its context: what middlewares may change is on the context, what was measured is here. */

import type { LlmContext } from '../agents/middleware';
import type { RawAnswer } from './stream/raw-answer';

/** The provider's counts, of an answer that is whole or broke off. */
export type PaidAnswer = Pick<RawAnswer, 'usage'>;

const answers = new WeakMap<LlmContext, RawAnswer>();
const broken = new WeakMap<LlmContext, PaidAnswer>();

export function setRawAnswer(context: LlmContext, answer: RawAnswer): void {
  answers.set(context, answer);
  context.rawMessage = { ...answer.message };
  context.finishReason = answer.finishReason;
}

/** The answer broke off after counts or text had come. */
export function setBrokenAnswer(context: LlmContext, answer: PaidAnswer): void {
  broken.set(context, answer);
}

/** Undefined where a middleware of the host took the place of the network call: then only the context's message and finish reason are known. */
export function findRawAnswer(context: LlmContext): RawAnswer | undefined {
  return answers.get(context);
}

/** Undefined where nothing came that a provider charges for. */
export function findPaidAnswer(context: LlmContext): PaidAnswer | undefined {
  return answers.get(context) ?? broken.get(context);
}
