/** What a verb of control did, in one sentence. */

import type { ControlAnswer, ControlEffect } from '../../domain/control';
import type { LoopId } from '../../domain/ids';
import type { Paint } from './paint';

type Accepted = Extract<ControlAnswer, { ok: true }>;

const SENTENCES: Readonly<Record<ControlEffect, (loopId: LoopId, answer: Accepted) => string>> = {
  paused: (loopId) => `loop ${loopId} is paused`,
  resumed: (loopId) => `loop ${loopId} goes on`,
  cancelled: (loopId) => `loop ${loopId} is stopped`,
  frozen: (loopId) => `loop ${loopId} is frozen`,
  unfrozen: (loopId) => `loop ${loopId} is not frozen any more; it is paused until you resume it`,
  reopened: (loopId) => `loop ${loopId} is open again`,
  retried: (loopId) => `loop ${loopId} tries again`,
  'message-kept': (loopId, { messageId }) => `message ${messageId ?? ''} waits for the next turn of loop ${loopId}`,
  'message-changed': (_loopId, { messageId }) => `message ${messageId ?? ''} is changed`,
  'message-withdrawn': (_loopId, { messageId }) => `message ${messageId ?? ''} is withdrawn`,
  interrupted: (loopId, { messageId }) => `loop ${loopId} was interrupted and takes message ${messageId ?? ''} now`,
  'limits-set': (loopId) => `the limits of loop ${loopId} are set`,
  'message-hidden': (_loopId, { messageId }) => `message ${messageId ?? ''} is hidden from the model`,
  'message-shown': (_loopId, { messageId }) => `message ${messageId ?? ''} is shown to the model again`,
  deferred: (loopId, { verb }) => `loop ${loopId} will ${verb} when its step ends`,
  unchanged: (loopId, { status }) => `nothing to do: loop ${loopId} is ${status} already`,
};

/** A refusal is an error and has no place here. */
export function formatControlAnswer(loopId: LoopId, answer: Accepted, paint: Paint): string {
  const mark = answer.effect === 'unchanged' ? paint.dim('·') : paint.green('✓');
  return `${mark} ${SENTENCES[answer.effect](loopId, answer)} ${paint.dim(`(${answer.status})`)}`;
}
