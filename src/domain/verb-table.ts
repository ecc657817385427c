/** The table of control (R60-R66, R74): what each verb does in each state of a loop, or by which named error it is refused. Pure. */

import { assertNever } from './assert-never';
import type { ControlEffect, ControlRequest } from './control';
import type { ErrorCode } from './errors';
import { isTerminal, type LoopStatus } from './loop';

/** The part of a loop's rows that decides about a verb. */
export interface ControlFacts {
  readonly status: LoopStatus;
  readonly isFrozen: boolean;
  /** `running` with a lease: an LLM turn. */
  readonly isTurnInFlight: boolean;
  readonly hasUnresolvedCalls: boolean;
  /** An attempt holds the step: the turn's lease, or that of an unresolved call. False in a back-off. */
  readonly isStepHeld: boolean;
  /** What is to be done at the end of the step (R60). */
  readonly requested: 'pause' | 'stop' | null;
}

export type ControlDecision =
  | { readonly kind: 'apply'; readonly effect: Exclude<ControlEffect, 'unchanged'> }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refuse'; readonly code: ErrorCode };

/** A verb as far as it decides: the fields that carry content are left out. */
export type VerbForm =
  | { readonly verb: 'pause' | 'stop'; readonly when?: 'now' | 'afterStep' }
  | { readonly verb: 'steer'; readonly interrupt?: boolean }
  | { readonly verb: Exclude<ControlRequest['verb'], 'pause' | 'stop' | 'steer'> };

/** While a loop is frozen only these do anything; reading works always (R64). */
const WORKS_WHILE_FROZEN: readonly ControlRequest['verb'][] = ['unfreeze', 'steer', 'stop', 'freeze'];

/** Total: every verb has one decision in every state. What depends on one message (R62, R65) is checked by the verb itself. */
export function decideControl(form: VerbForm, facts: ControlFacts): ControlDecision {
  if (facts.isFrozen && !WORKS_WHILE_FROZEN.includes(form.verb)) return refuse('LoopFrozen');
  switch (form.verb) {
    case 'pause':
      return decidePause(form.when ?? 'now', facts);
    case 'resume':
      return decideResume(facts);
    case 'steer':
      return decideSteer(form.interrupt ?? false, facts);
    case 'stop':
      return decideStop(form.when ?? 'now', facts);
    case 'freeze':
      if (facts.isFrozen) return UNCHANGED;
      return isTerminal(facts.status) ? refuse('LoopTerminal') : apply('frozen');
    case 'unfreeze':
      return facts.isFrozen ? apply('unfrozen') : UNCHANGED;
    case 'reopen':
      return isTerminal(facts.status) ? apply('reopened') : refuse('LoopNotTerminal');
    case 'retry':
      return decideRetry(facts);
    case 'editMessage':
      return apply('message-changed');
    case 'withdrawMessage':
      return apply('message-withdrawn');
    case 'setLimits':
      return apply('limits-set');
    case 'hideMessage':
      return apply('message-hidden');
    case 'showMessage':
      return apply('message-shown');
    default:
      return assertNever(form);
  }
}

function decidePause(when: 'now' | 'afterStep', facts: ControlFacts): ControlDecision {
  if (isTerminal(facts.status)) return refuse('LoopTerminal');
  if (facts.status === 'paused') return UNCHANGED;
  if (when === 'now' || !isStepInFlight(facts)) return apply('paused');
  return facts.requested === null ? apply('deferred') : UNCHANGED;
}

function decideResume(facts: ControlFacts): ControlDecision {
  if (isTerminal(facts.status)) return refuse('LoopTerminal');
  return facts.status === 'paused' || facts.requested !== null ? apply('resumed') : UNCHANGED;
}

function decideSteer(interrupt: boolean, facts: ControlFacts): ControlDecision {
  if (isTerminal(facts.status)) return refuse('SteeringError');
  return apply(interrupt && facts.isTurnInFlight ? 'interrupted' : 'message-kept');
}

function decideStop(when: 'now' | 'afterStep', facts: ControlFacts): ControlDecision {
  if (facts.status === 'cancelled') return UNCHANGED;
  if (isTerminal(facts.status)) return refuse('LoopTerminal');
  if (when === 'now' || !isStepInFlight(facts)) return apply('cancelled');
  return facts.requested === 'stop' ? UNCHANGED : apply('deferred');
}

/** A failed loop goes on as it was; a loop that waits for its next attempt does not wait any longer. */
function decideRetry(facts: ControlFacts): ControlDecision {
  switch (facts.status) {
    case 'failed':
      return apply('retried');
    case 'init':
      return UNCHANGED;
    case 'queued':
    case 'running':
      return facts.isStepHeld ? UNCHANGED : apply('retried');
    default:
      return refuse('NothingToRetry');
  }
}

/** A step = a turn, or the whole tool phase after it. */
export const isStepInFlight = (facts: ControlFacts): boolean =>
  facts.status === 'running' && (facts.isTurnInFlight || facts.hasUnresolvedCalls);

const UNCHANGED: ControlDecision = { kind: 'unchanged' };
const apply = (effect: Exclude<ControlEffect, 'unchanged'>): ControlDecision => ({ kind: 'apply', effect });
const refuse = (code: ErrorCode): ControlDecision => ({ kind: 'refuse', code });
