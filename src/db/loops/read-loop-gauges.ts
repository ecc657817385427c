/** What the tables say of all loops at one moment: for metrics and alerts. */

import { sql } from 'kysely';
import { LOOP_STATUSES, type LoopStatus } from '../../domain/loop';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';

export interface LoopGauges {
  /** Live loops by status; ended ones of the last hour. */
  readonly loops: Readonly<Record<LoopStatus, number>>;
  /** How long the oldest loop that should move, and that no attempt holds, has not moved. Seconds; 0: none. */
  readonly oldestStuckSeconds: number;
  /** Changes from outside that no workflow has read within 10 s. */
  readonly overdueWakes: number;
  /** Since the last run of the reconciler. Seconds; null: it never ran. */
  readonly reconcilerAgeSeconds: number | null;
}

/** @throws DatabaseUnavailable */
export function readLoopGauges(db: Database): Promise<LoopGauges> {
  return namingUnavailable(async () => {
    const [counts, rest] = await Promise.all([countLoops(db), readRest(db)]);
    return { loops: counts, ...rest };
  });
}

async function countLoops(db: Database): Promise<Readonly<Record<LoopStatus, number>>> {
  const { rows } = await sql<{ status: LoopStatus; count: string }>`
    select status, count(*) as count from solid_loop.loops
    where status in ('init', 'queued', 'running', 'paused') or (status in ('completed', 'failed', 'cancelled') and status_changed_at > clock_timestamp() - interval '1 hour')
    group by status`.execute(db);
  const counts = new Map(rows.map((row) => [row.status, Number(row.count)]));
  return Object.fromEntries(LOOP_STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<LoopStatus, number>;
}

async function readRest(db: Database): Promise<Omit<LoopGauges, 'loops'>> {
  const { rows } = await sql<{ stuck: number; overdue: string; reconciler_age: number | null }>`
    select
      (select coalesce(cast(extract(epoch from clock_timestamp() - min(greatest(l.updated_at, l.renewed_at))) as float8), 0)
        from solid_loop.loops l
        where l.status in ('init', 'queued', 'running') and (l.lease_expires_at is null or l.lease_expires_at < clock_timestamp())
          and not exists (select from solid_loop.tool_calls c where c.loop_id = l.id and not c.is_answered and c.lease_expires_at > clock_timestamp())) as stuck,
      (select count(*) from solid_loop.loops where wake_due_at < clock_timestamp() - interval '10 seconds') as overdue,
      (select cast(extract(epoch from clock_timestamp() - max(started_at)) as float8) from solid_loop.reconciler_runs) as reconciler_age`.execute(
    db,
  );
  const [row] = rows;
  return {
    oldestStuckSeconds: row?.stuck ?? 0,
    overdueWakes: Number(row?.overdue ?? 0),
    reconcilerAgeSeconds: row?.reconciler_age ?? null,
  };
}
