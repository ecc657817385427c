/** What a verb gets and gives back. */

import type { ControlEffect, ControlVerb, KeyedControlRequest } from '../../domain/control';
import type { ErrorCode } from '../../domain/errors';
import type { LoopStatus } from '../../domain/loop';
import type { ControlFacts } from '../../domain/verb-table';
import type { DatabaseTransaction } from '../database';
import type { LockedLoop } from '../repositories/loops.repository';

/** The loop is locked, and the table of verbs said `effect`. */
export interface VerbContext {
  readonly trx: DatabaseTransaction;
  readonly locked: LockedLoop;
  readonly facts: ControlFacts;
  readonly verb: ControlVerb;
  readonly effect: ControlEffect;
}

export type RequestOf<Verb extends KeyedControlRequest['verb']> = Extract<KeyedControlRequest, { readonly verb: Verb }>;

export type VerbOutcome =
  | {
      readonly kind: 'done';
      readonly verb: ControlVerb;
      readonly effect: ControlEffect;
      /** Of the loop, after it. */
      readonly status: LoopStatus;
      readonly messageId?: string;
      /** The generation rose: whoever holds a part of the loop is told on commit. */
      readonly movesFence: boolean;
      /** What is next may have changed: the workflow reads the tables again. */
      readonly wakes: boolean;
    }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string };

export const refused = (code: ErrorCode, message: string): VerbOutcome => ({ kind: 'refused', code, message });

/** The workflow reads the tables again, and whoever holds a part of the loop is told: the generation rose. */
export function moved(context: VerbContext, status: LoopStatus, messageId?: string): VerbOutcome {
  return { ...done(context, status, messageId), movesFence: true, wakes: true };
}

/** What is next may have changed, but no fence. */
export function waking(context: VerbContext, messageId?: string): VerbOutcome {
  return { ...done(context, context.locked.loop.status, messageId), movesFence: false, wakes: true };
}

/** A change that neither the workflow nor an attempt need hear of. */
export function changed(context: VerbContext, messageId?: string): VerbOutcome {
  return { ...done(context, context.locked.loop.status, messageId), movesFence: false, wakes: false };
}

function done({ verb, effect }: VerbContext, status: LoopStatus, messageId: string | undefined) {
  return { kind: 'done' as const, verb, effect, status, ...(messageId === undefined ? {} : { messageId }) };
}
