/** What attempts may have left on paused and ended loops: shells, and leases of calls that nobody renews (R70, R73). */

import { sql } from 'kysely';
import { type LoopId, toId } from '../../domain/ids';
import { isTerminal } from '../../domain/loop';
import type { Database, DatabaseTransaction } from '../database';
import { lockLoop } from '../repositories/loops.repository';
import { inTransaction, namingUnavailable } from '../transaction';

const AT_REST = sql`l.status in ('paused', 'completed', 'failed', 'cancelled')`;
const SHELL = sql`m.role = 'assistant' and m.status = 'processing'`;
/** That of an `unsafe` body that runs on stands; it ends within the call's limit. */
const STALE_LEASE = sql`c.lease_expires_at < clock_timestamp()`;

/** Answers loops with a shell that was failed, or would be in a dry run. Frozen ones too: their status stays. */
export function failShellsAtRest(db: Database, dryRun: boolean): Promise<number> {
  return repairEach(db, dryRun, {
    find: sql`select distinct l.id from solid_loop.loops l join solid_loop.messages m on m.loop_id = l.id where ${AT_REST} and ${SHELL}`,
    repair: (loopId) =>
      sql`update solid_loop.messages m set status = 'failed', is_hidden = true, updated_at = clock_timestamp() where m.loop_id = ${loopId} and ${SHELL}`,
  });
}

/** Answers loops with an expired lease that was cleared, or would be in a dry run. */
export function clearLeasesAtRest(db: Database, dryRun: boolean): Promise<number> {
  return repairEach(db, dryRun, {
    find: sql`select distinct l.id from solid_loop.loops l join solid_loop.tool_calls c on c.loop_id = l.id where ${AT_REST} and ${STALE_LEASE}`,
    repair: (loopId) =>
      sql`update solid_loop.tool_calls c set lease_expires_at = null, updated_at = clock_timestamp() where c.loop_id = ${loopId} and ${STALE_LEASE}`,
  });
}

interface Repair {
  readonly find: ReturnType<typeof sql>;
  readonly repair: (loopId: LoopId) => ReturnType<typeof sql>;
}

async function repairEach(db: Database, dryRun: boolean, { find, repair }: Repair): Promise<number> {
  const { rows } = await namingUnavailable(() => (find as ReturnType<typeof sql<{ id: string }>>).execute(db));
  if (dryRun) return rows.length;
  let repaired = 0;
  for (const { id } of rows) if (await inTransaction(db, (trx) => repairLocked(trx, toId<LoopId>(id), repair))) repaired += 1;
  return repaired;
}

/** A loop that goes on again since then is left alone: its shell is in flight. */
async function repairLocked(trx: DatabaseTransaction, loopId: LoopId, repair: Repair['repair']): Promise<boolean> {
  const { loop } = await lockLoop(trx, loopId);
  if (!isTerminal(loop.status) && loop.status !== 'paused') return false;
  const { numAffectedRows } = await repair(loopId).execute(trx);
  return (numAffectedRows ?? 0n) > 0n;
}
