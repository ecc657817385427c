/** The answer of a tool call whose message is in the transcript. */

import type { MessageId } from '../../domain/ids';
import type { Loop } from '../../domain/loop';
import type { NextStep } from '../../domain/next-step';
import type { NextStepAnswer } from '../loops/answer-next-step';

export interface AnsweredToolCall {
  readonly kind: 'answered';
  readonly loop: Loop;
  /** Absent while other calls of the loop are unresolved: their attempts are at work. */
  readonly next?: NextStep;
  readonly pausedBy: string | null;
  /** The message that this transaction wrote; absent where it was there already. */
  readonly messageId?: MessageId;
}

export function toAnsweredToolCall({ loop, next, pausedBy }: NextStepAnswer, messageId?: MessageId): AnsweredToolCall {
  const written = messageId === undefined ? {} : { messageId };
  return next.kind === 'tools' ? { kind: 'answered', loop, pausedBy, ...written } : { kind: 'answered', loop, pausedBy, next, ...written };
}
