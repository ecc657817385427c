/** Deletes a loop with all its rows, wire log included: what somebody may ask for by law. Counts first. */

import { sql } from 'kysely';
import { SolidLoopError } from '../../domain/errors';
import type { LoopId } from '../../domain/ids';
import { isTerminal, type LoopStatus } from '../../domain/loop';
import type { Database, DatabaseTransaction } from '../database';
import { lockLoop } from '../repositories/loops.repository';
import { inTransaction } from '../transaction';

/** Rows by kind. */
export interface LoopRowCounts {
  readonly messages: number;
  readonly toolCalls: number;
  readonly events: number;
  /** Of the wire log: those that no other loop refers to. */
  readonly wireMessages: number;
  readonly liveParts: number;
  readonly controlRequests: number;
  readonly mcpSessions: number;
}

export interface EraseReport {
  readonly loopId: LoopId;
  /** Its history stays in Temporal until the namespace's retention is over: ids only, unless a Temporal client started or steered it. */
  readonly workflowId: string;
  readonly status: LoopStatus;
  readonly rows: LoopRowCounts;
}

/**
 * One transaction; with `dryRun` it only counts. Children stay, as loops of their own. Backups and archives are the operator's.
 * @throws LoopNotFound; LoopNotTerminal for a live loop, unless it only counts; DatabaseUnavailable
 */
export function eraseLoop(db: Database, loopId: LoopId, { dryRun }: { readonly dryRun: boolean }): Promise<EraseReport> {
  return inTransaction(db, async (trx) => {
    const { loop } = await lockLoop(trx, loopId);
    const rows = await countRows(trx, loopId);
    if (!dryRun) {
      if (!isTerminal(loop.status)) throw isLive(loopId, loop.status);
      await deleteWireMessagesOf(trx, loopId);
      await deleteLoopRows(trx, [loopId]);
    }
    return { loopId, workflowId: loop.workflowId, status: loop.status, rows };
  });
}

/** Everything of these loops but the messages of the wire log, which other loops may share. */
export async function deleteLoopRows(trx: DatabaseTransaction, loopIds: readonly LoopId[]): Promise<void> {
  await trx.deleteFrom('live_parts').where('loop_id', 'in', loopIds).execute();
  await trx.deleteFrom('loops').where('id', 'in', loopIds).execute();
}

const isLive = (loopId: LoopId, status: LoopStatus): SolidLoopError =>
  new SolidLoopError('LoopNotTerminal', `loop ${loopId} is ${status}; stop it first, or erase it with force, which stops it`, {
    field: 'loop',
  });

async function countRows(trx: DatabaseTransaction, loopId: LoopId): Promise<LoopRowCounts> {
  const { rows } = await sql<LoopRowCounts>`
    with own as (select distinct unnest(message_hashes) as hash from solid_loop.events where loop_id = ${loopId})
    select
      (select cast(count(*) as integer) from solid_loop.messages where loop_id = ${loopId}) as messages,
      (select cast(count(*) as integer) from solid_loop.tool_calls where loop_id = ${loopId}) as "toolCalls",
      (select cast(count(*) as integer) from solid_loop.events where loop_id = ${loopId}) as events,
      (select cast(count(*) as integer) from own where hash not in (${hashesOfOthers(loopId)})) as "wireMessages",
      (select cast(count(*) as integer) from solid_loop.live_parts where loop_id = ${loopId}) as "liveParts",
      (select cast(count(*) as integer) from solid_loop.control_requests where loop_id = ${loopId}) as "controlRequests",
      (select cast(count(*) as integer) from solid_loop.mcp_sessions where loop_id = ${loopId}) as "mcpSessions"`.execute(trx);
  const [counts] = rows;
  if (counts === undefined) throw new SolidLoopError('InternalError', `the rows of loop ${loopId} could not be counted`);
  return counts;
}

/** One reading of the wire log: hashes of `own` that requests of other loops have too. */
const hashesOfOthers = (loopId: LoopId) => sql`
  select used.hash from solid_loop.events e cross join lateral unnest(e.message_hashes) as used (hash)
  where e.loop_id <> ${loopId} and e.message_hashes && array(select hash from own)`;

/**
 * The rows are locked first, in order of their hash, as writers lock them: a request of another loop that is being written with one of
 * these messages either is seen here, or waits and stores the message anew.
 */
async function deleteWireMessagesOf(trx: DatabaseTransaction, loopId: LoopId): Promise<void> {
  await sql`
    select from solid_loop.wire_messages
    where hash in (select distinct unnest(message_hashes) from solid_loop.events where loop_id = ${loopId})
    order by hash for update`.execute(trx);
  await sql`
    with own as (select distinct unnest(message_hashes) as hash from solid_loop.events where loop_id = ${loopId})
    delete from solid_loop.wire_messages where hash in (select hash from own) and hash not in (${hashesOfOthers(loopId)})`.execute(trx);
}
