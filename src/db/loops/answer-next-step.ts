/** What is next for a locked loop; a state that cannot be is an event, and pauses the loop (R25). */

import type { Loop } from '../../domain/loop';
import { type NextStep, nextStep } from '../../domain/next-step';
import type { DatabaseTransaction } from '../database';
import { notifyControl } from './notify-control';
import { insertEvent } from '../repositories/events.repository';
import type { LockedLoop } from '../repositories/loops.repository';
import { findUnresolvedCalls } from '../repositories/tool-calls.repository';
import { setLoopAtRest } from './set-loop-at-rest';

/** `next` is never `invalid`. */
export interface NextStepAnswer {
  readonly loop: Loop;
  readonly next: NextStep;
  /** Who paused or froze it, where `next` is `wait`. */
  readonly pausedBy: string | null;
}

export async function answerNextStep(trx: DatabaseTransaction, locked: LockedLoop): Promise<NextStepAnswer> {
  const next = nextStep(locked.facts, await findUnresolvedCalls(trx, locked.loop.id));
  return next.kind === 'invalid' ? pauseInvalid(trx, locked, next.reason) : toAnswer(locked, next);
}

/** The event and the pause of R25, with the reason that both show. */
export async function pauseInvalid(trx: DatabaseTransaction, locked: LockedLoop, reason: string): Promise<NextStepAnswer> {
  const { id, turnNumber } = locked.loop;
  await insertEvent(trx, { loopId: id, turnNumber, kind: 'InvalidState', error: reason });
  const paused = await setLoopAtRest(trx, id, {
    status: 'paused',
    by: 'solidloop',
    reason,
    errorCode: 'InvalidState',
    errorMessage: reason,
  });
  await notifyControl(trx, id);
  return answerAtRest(paused);
}

/** For a loop that was just set at rest: its calls decide nothing. */
export function answerAtRest(locked: LockedLoop): NextStepAnswer {
  return toAnswer(locked, nextStep(locked.facts, []));
}

export function toAnswer(locked: LockedLoop, next: NextStep): NextStepAnswer {
  const by = locked.loop.adminFrozen ? (locked.frozenBy ?? locked.pausedBy) : locked.pausedBy;
  return { loop: locked.loop, next, pausedBy: next.kind === 'wait' ? by : null };
}
