/** Gives a held turn back: the shell failed and hidden, the lease cleared, the loop `queued` for the next attempt. */

import { sql } from 'kysely';
import type { DatabaseTransaction } from '../database';
import { LOCKED_LOOP_COLUMNS, type LockedLoop, type LockedLoopRow, loopNotFound, toLockedLoop } from '../repositories/loops.repository';
import type { HeldTurn } from './turn-fence';

export interface QueueTurnOptions {
  /** Kept on the shell, for people. */
  readonly errorMessage: string;
  /** A provider's failure: counted, and the generation rises. Else both stay (R58: the attempt's report may still name it). */
  readonly isFailure: boolean;
}

/** The caller holds the loop's lock and has checked the turn's fences. Delivered messages stay delivered (R7). */
export async function queueTurnAgain(trx: DatabaseTransaction, turn: HeldTurn, options: QueueTurnOptions): Promise<LockedLoop> {
  const failures = options.isFailure ? 1 : 0;
  const { rows } = await sql<LockedLoopRow>`
    with shells as (
      update solid_loop.messages
      set status = 'failed', is_hidden = true, error_message = ${options.errorMessage}, updated_at = clock_timestamp()
      where loop_id = ${turn.loopId} and role = 'assistant' and status = 'processing'
    )
    update solid_loop.loops
    set status = 'queued',
      status_changed_at = clock_timestamp(),
      generation = generation + ${failures},
      turn_failures = turn_failures + ${failures},
      lease_expires_at = null,
      updated_at = clock_timestamp()
    where id = ${turn.loopId}
    returning ${LOCKED_LOOP_COLUMNS}`.execute(trx);
  if (rows[0] === undefined) throw loopNotFound(turn.loopId);
  return toLockedLoop(rows[0]);
}
