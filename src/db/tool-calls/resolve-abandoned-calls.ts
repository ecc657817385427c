/** Gives each unresolved call that will not be run its one tool message, so that the transcript can go on (R68). */

import { sql } from 'kysely';
import { type LoopId, type MessageId, toId } from '../../domain/ids';
import { NOT_RUN_TEXT, UNKNOWN_OUTCOME_TEXT } from '../../domain/tool-call';
import type { DatabaseTransaction } from '../database';

/**
 * The caller holds the loop's lock, and goes on to `queued` or a terminal status. Executed: its result. Never started, or
 * `read`: not run. Otherwise its outcome is unknown (R75). The ids of the new messages, in call order.
 */
export async function resolveAbandonedCalls(trx: DatabaseTransaction, loopId: LoopId): Promise<readonly MessageId[]> {
  const { rows } = await sql<{ id: string }>`
    with abandoned as (
      select c.*, cast(row_number() over (order by c.message_id, c.position) as integer) as nth
      from solid_loop.tool_calls c
      where c.loop_id = ${loopId} and not c.is_answered
    ), released as (
      update solid_loop.tool_calls set lease_expires_at = null, is_answered = true, updated_at = clock_timestamp()
      where id in (select id from abandoned)
    ), counted as (
      update solid_loop.loops
      set duration_tools = duration_tools + coalesce((select sum(duration) from abandoned where executed_at is not null), 0),
        updated_at = clock_timestamp()
      where id = ${loopId}
    )
    insert into solid_loop.messages (loop_id, role, status, turn_number, generation, seq, content, tool_call_ref, tool_call_id)
    select ${loopId}, 'tool', 'success', asked.turn_number, a.generation,
      (select coalesce(max(seq), 0) from solid_loop.messages where loop_id = ${loopId}) + a.nth,
      case
        when a.executed_at is not null then coalesce(a.result, '')
        when a.started_at is null or a.effect = 'read' then ${NOT_RUN_TEXT}
        else ${UNKNOWN_OUTCOME_TEXT}
      end, a.id, a.tool_call_id
    from abandoned a join solid_loop.messages asked on asked.id = a.message_id
    order by a.nth
    returning id`.execute(trx);
  return rows.map((row) => toId<MessageId>(row.id));
}
