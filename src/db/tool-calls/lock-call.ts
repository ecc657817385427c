/** Locks a call's loop, then the call: the order of every transaction that touches a call (R23). */

import { SolidLoopError } from '../../domain/errors';
import type { ToolCallId } from '../../domain/ids';
import type { DatabaseTransaction } from '../database';
import { type LockedLoop, lockLoopOfCall } from '../repositories/loops.repository';
import { type LockedToolCall, lockToolCall } from '../repositories/tool-calls.repository';

export interface LockedPair {
  readonly locked: LockedLoop;
  readonly lockedCall: LockedToolCall;
}

/** @throws LoopNotFound where there is no such call */
export async function lockCall(trx: DatabaseTransaction, callId: ToolCallId): Promise<LockedPair> {
  const locked = await lockLoopOfCall(trx, callId);
  const lockedCall = locked && (await lockToolCall(trx, callId));
  if (locked === undefined || lockedCall === undefined) {
    throw new SolidLoopError('LoopNotFound', `there is no tool call ${callId} in this database; its loop may have been deleted`, {
      field: 'callId',
    });
  }
  return { locked, lockedCall };
}
