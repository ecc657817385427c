/** What a verb gets and gives back. */

import type { ControlEffect, KeyedControlRequest } from '../../domain/control';
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
  readonly effect: ControlEffect;
}

export type RequestOf<Verb extends KeyedControlRequest['verb']> = Extract<KeyedControlRequest, { readonly verb: Verb }>;

export type VerbOutcome =
  | {
      readonly kind: 'done';
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

/** A change that the workflow need not hear of. */
export function changed({ locked, effect }: VerbContext, messageId?: string): VerbOutcome {
  return {
    kind: 'done',
    effect,
    status: locked.loop.status,
    ...(messageId === undefined ? {} : { messageId }),
    movesFence: false,
    wakes: false,
  };
}
