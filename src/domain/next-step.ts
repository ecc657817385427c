/** The one decision of the whole system (R25): what is next for a loop, from its rows alone. */

import { assertNever } from './assert-never';
import type { Generation, ToolCallId } from './ids';
import { isTerminal, type LoopStatus, type TerminalStatus } from './loop';

/** The part of a loop's row that decides. */
export interface LoopFacts {
  readonly status: LoopStatus;
  readonly hasLease: boolean;
  readonly adminFrozen: boolean;
  readonly turnNumber: number;
  readonly generation: Generation;
}

/** A call without its tool message, executed or not, in call order. */
export interface UnresolvedCall {
  readonly id: ToolCallId;
  readonly name: string;
}

export type NextStep =
  | { readonly kind: 'turn'; readonly turnNumber: number; readonly generation: Generation }
  | { readonly kind: 'tools'; readonly turnNumber: number; readonly generation: Generation; readonly calls: readonly UnresolvedCall[] }
  | { readonly kind: 'wait'; readonly reason: 'paused' | 'frozen'; readonly generation: Generation }
  | { readonly kind: 'done'; readonly status: TerminalStatus; readonly generation: Generation }
  | { readonly kind: 'invalid'; readonly reason: string; readonly generation: Generation };

/** Pure and total: every state of the tables has exactly one answer. `unresolved` is in call order. */
export function nextStep(loop: LoopFacts, unresolved: readonly UnresolvedCall[]): NextStep {
  const { status, hasLease, generation, turnNumber } = loop;
  if (isTerminal(status)) return { kind: 'done', status, generation };
  switch (status) {
    case 'paused':
      return { kind: 'wait', reason: loop.adminFrozen ? 'frozen' : 'paused', generation };
    case 'running':
      if (unresolved.length === 0) return { kind: 'turn', turnNumber, generation };
      if (!hasLease) return { kind: 'tools', turnNumber, generation, calls: unresolved };
      return { kind: 'invalid', reason: 'running with a lease and unresolved calls', generation };
    case 'queued':
      if (unresolved.length === 0) return { kind: 'turn', turnNumber, generation };
      return { kind: 'invalid', reason: 'queued with unresolved calls', generation };
    case 'init':
      return { kind: 'invalid', reason: 'init after it was opened', generation };
    default:
      return assertNever(status);
  }
}
