/** Reads, under the loop's lock, what decides about a verb. */

import { sql } from 'kysely';
import type { ControlFacts } from '../../domain/verb-table';
import type { DatabaseTransaction } from '../database';
import type { LockedLoop } from '../repositories/loops.repository';

export async function readControlFacts(trx: DatabaseTransaction, { loop, facts, requested }: LockedLoop): Promise<ControlFacts> {
  const { unresolved, held } = await countCalls(trx, loop.id);
  const isTurnInFlight = loop.status === 'running' && facts.hasLease;
  return {
    status: loop.status,
    isFrozen: loop.adminFrozen,
    isTurnInFlight,
    hasUnresolvedCalls: unresolved > 0,
    isStepHeld: isTurnInFlight || held > 0,
    requested: requested?.verb ?? null,
  };
}

async function countCalls(trx: DatabaseTransaction, loopId: string): Promise<{ readonly unresolved: number; readonly held: number }> {
  const { rows } = await sql<{ unresolved: number; held: number }>`
    select cast(count(*) as integer) as unresolved, cast(count(c.lease_expires_at) as integer) as held
    from solid_loop.tool_calls c
    where c.loop_id = ${loopId} and not c.is_answered`.execute(trx);
  return rows[0] ?? { unresolved: 0, held: 0 };
}
