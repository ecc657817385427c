/** Takes a loop from rest to work again (R61): resume, reopen and retry all go this way. */

import { sql } from 'kysely';
import type { LoopId } from '../../domain/ids';
import type { DatabaseTransaction } from '../database';
import { LOCKED_LOOP_COLUMNS, type LockedLoop, type LockedLoopRow, loopNotFound, toLockedLoop } from '../repositories/loops.repository';

/**
 * The caller holds the loop's lock and has checked that it is paused or terminal, and not frozen. With unresolved calls:
 * back to the tool phase, else `queued`; under a new generation, `requested` cleared, the time at rest kept out of the
 * wall time (R45). A loop that had ended counts its failures anew (R65); the error stays until the next claim,
 * and its next end is told again.
 */
export async function setLoopGoing(trx: DatabaseTransaction, loopId: LoopId): Promise<LockedLoop> {
  const { rows } = await sql<LockedLoopRow>`
    with calls_counted_anew as (
      update solid_loop.tool_calls c set lost_attempts = 0
      from solid_loop.loops l
      where c.loop_id = ${loopId} and not c.is_answered and c.lost_attempts > 0 and l.id = c.loop_id and l.status <> 'paused'
    )
    update solid_loop.loops
    set status = case when exists (
          select from solid_loop.tool_calls c
          where c.loop_id = loops.id and not c.is_answered
        ) then 'running'::solid_loop.loop_status else 'queued' end,
      status_changed_at = clock_timestamp(),
      generation = generation + 1,
      turn_failures = case when status = 'paused' then turn_failures else 0 end,
      lost_attempts = case when status = 'paused' then lost_attempts else 0 end,
      revivals = case when status = 'paused' then revivals else 0 end,
      unknown_since = null,
      paused_seconds = paused_seconds + extract(epoch from clock_timestamp() - status_changed_at),
      paused_at = null,
      paused_by = null,
      paused_reason = null,
      requested = null,
      requested_by = null,
      requested_reason = null,
      finished_notified_at = null,
      updated_at = clock_timestamp()
    where id = ${loopId}
    returning ${LOCKED_LOOP_COLUMNS}`.execute(trx);
  if (rows[0] === undefined) throw loopNotFound(loopId);
  return toLockedLoop(rows[0]);
}
