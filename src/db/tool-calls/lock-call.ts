/** Locks a call's loop, then the call: the order of every transaction that touches a call (R23). */

import { sql } from 'kysely';
import { SolidLoopError } from '../../domain/errors';
import type { ToolCallId } from '../../domain/ids';
import type { DatabaseTransaction } from '../database';
import { LOCKED_LOOP_COLUMNS, type LockedLoop, type LockedLoopRow, toLockedLoop } from '../repositories/loops.repository';
import { LOCKED_CALL_COLUMNS, type LockedToolCall, type LockedToolCallRow, toLockedToolCall } from '../repositories/tool-calls.repository';

export interface LockedPair {
  readonly locked: LockedLoop;
  readonly lockedCall: LockedToolCall;
}

/**
 * In one statement: the rows are locked in the order of its clauses, and both are read as they are under their locks.
 * @throws LoopNotFound where there is no such call
 */
export async function lockCall(trx: DatabaseTransaction, callId: ToolCallId): Promise<LockedPair> {
  const { rows } = await sql<LockedLoopRow & LockedToolCallRow>`
    select ${LOCKED_LOOP_COLUMNS}, ${LOCKED_CALL_COLUMNS}
    from solid_loop.tool_calls c join solid_loop.loops on loops.id = c.loop_id
    where c.id = ${callId}
    for no key update of loops
    for no key update of c`.execute(trx);
  const [row] = rows;
  if (row === undefined) {
    throw new SolidLoopError('LoopNotFound', `there is no tool call ${callId} in this database; its loop may have been deleted`, {
      field: 'callId',
    });
  }
  return { locked: toLockedLoop(row), lockedCall: toLockedToolCall(row) };
}
