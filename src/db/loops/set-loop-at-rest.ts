/** The one function that moves a loop to a terminal or paused status (R4): with it goes every hold that an attempt had. */

import { sql } from 'kysely';
import type { LoopId } from '../../domain/ids';
import { cleanTextOrNull } from '../postgres/clean-text';
import type { DatabaseTransaction } from '../database';
import { LOCKED_LOOP_COLUMNS, type LockedLoop, type LockedLoopRow, loopNotFound, toLockedLoop } from '../repositories/loops.repository';

/** `reason` is for people; `errorCode` and `errorMessage` are kept on the row until the next claim. */
export type Rest =
  | {
      readonly status: 'paused';
      readonly by: string | null;
      readonly reason: string | null;
      readonly errorCode?: string;
      readonly errorMessage?: string;
    }
  | { readonly status: 'completed' | 'cancelled'; readonly errorCode?: string; readonly errorMessage?: string }
  | { readonly status: 'failed'; readonly errorCode: string; readonly errorMessage: string };

/**
 * The caller holds the loop's lock and has checked the status that it leaves. In one statement: generation + 1, lease
 * cleared, shells failed and hidden, triggering messages failed with a failed loop, leases of calls released (but that
 * of a started `unsafe` body, which is let finish), time of an earlier pause added up, `requested` cleared.
 * A pause keeps a requested stop. Sends no NOTIFY: see `notifyControl`.
 */
export async function setLoopAtRest(trx: DatabaseTransaction, loopId: LoopId, rest: Rest): Promise<LockedLoop> {
  const isPause = rest.status === 'paused';
  const errorMessage = cleanTextOrNull(rest.errorMessage);
  const { rows } = await sql<LockedLoopRow>`
    with released_calls as (
      update solid_loop.tool_calls set lease_expires_at = null, unknown_since = null, updated_at = clock_timestamp()
      where loop_id = ${loopId} and (lease_expires_at is not null or unknown_since is not null)
        and not (effect = 'unsafe' and started_at is not null and executed_at is null)
    ), ended_messages as (
      update solid_loop.messages
      set status = 'failed', is_hidden = is_hidden or role = 'assistant', updated_at = clock_timestamp(),
        error_message = coalesce(${errorMessage}, error_message)
      where loop_id = ${loopId} and status = 'processing' and (role = 'assistant' or (role = 'user' and ${rest.status === 'failed'}))
    )
    update solid_loop.loops
    set status = ${rest.status},
      status_changed_at = clock_timestamp(),
      generation = generation + 1,
      lease_expires_at = null,
      unknown_since = null,
      error_code = case when ${isPause} then coalesce(${rest.errorCode ?? null}, error_code) else ${rest.errorCode ?? null} end,
      error_message = case when ${isPause} then coalesce(${errorMessage}, error_message) else ${errorMessage} end,
      paused_seconds = paused_seconds
        + case when status = 'paused' then extract(epoch from clock_timestamp() - status_changed_at) else 0 end,
      paused_at = case when ${isPause} then clock_timestamp() end,
      paused_by = ${isPause ? cleanTextOrNull(rest.by) : null},
      paused_reason = ${isPause ? cleanTextOrNull(rest.reason) : null},
      requested = case when ${isPause} and requested = 'stop' then requested end,
      requested_by = case when ${isPause} and requested = 'stop' then requested_by end,
      requested_reason = case when ${isPause} and requested = 'stop' then requested_reason end,
      updated_at = clock_timestamp()
    where id = ${loopId}
    returning ${LOCKED_LOOP_COLUMNS}`.execute(trx);
  if (rows[0] === undefined) throw loopNotFound(loopId);
  return toLockedLoop(rows[0]);
}
