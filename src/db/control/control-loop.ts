/** The one function by which anything outside changes a loop (R67): client, command line, page, signals and hooks alike. */

import type { ControlAnswer, KeyedControlRequest } from '../../domain/control';
import { isRowId, type LoopId, toId } from '../../domain/ids';
import type { Fields } from '../../domain/input-checks';
import type { DrivenLoop } from '../../domain/temporal-driver';
import type { Database } from '../database';
import { loopNotFound } from '../repositories/loops.repository';
import { inTransaction } from '../transaction';
import { applyControl } from './apply-control';
import { controlChildren } from './control-children';

/** What was asked, typed or as it came from outside: it is checked either way. */
export type ControlInput = KeyedControlRequest | Fields;

export interface ControlOutcome {
  readonly answer: ControlAnswer;
  /** The loop, for whoever wakes its workflow. */
  readonly loop: DrivenLoop;
  /** The caller sends one `wake` now; where it cannot, the reconciler does it later. */
  readonly wake: boolean;
  /** The key was known: the stored answer was given, and nothing was done (R74). */
  readonly isRepeat: boolean;
  /** The same for each child loop, where stop or freeze was to be passed down (R78). */
  readonly children: readonly ControlOutcome[];
}

/**
 * Lock, check, write, NOTIFY on commit: one transaction a loop, whether or not a worker is alive. A refusal is an answer with a
 * code, stored like any other; it is not thrown.
 * @throws LoopNotFound, DatabaseUnavailable
 */
export async function controlLoop(db: Database, loopId: LoopId | string, input: ControlInput): Promise<ControlOutcome> {
  if (!isRowId(loopId)) throw loopNotFound(toId<LoopId>(loopId));
  const id = toId<LoopId>(loopId);
  const { request, ...outcome } = await inTransaction(db, (trx) => applyControl(trx, id, input));
  const children = request === undefined ? [] : await controlChildren(db, id, request, controlLoop);
  return { ...outcome, children };
}
