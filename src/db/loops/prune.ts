/** Retention: deletes what is older than its age, by kind of row. Each kind has an age of its own; what has none is kept for ever. */

import { sql } from 'kysely';
import { type LoopId, toId } from '../../domain/ids';
import { WIRE_KINDS } from '../../domain/wire';
import type { Database } from '../database';
import { deleteLoopRows } from './erase-loop';
import { deleteUnreferencedMessages, pruneWire } from '../wire/prune-wire';
import { inTransaction, namingUnavailable } from '../transaction';

const BATCH_SIZE = 500;

/** Ages in seconds. Absent: this kind is kept. */
export interface PruneAges {
  /** Requests and answers of the wire log. Those that are kept can still be rebuilt to the byte. */
  readonly wire?: number;
  /** Parts of live streams: nobody reads them after their turn. */
  readonly live?: number;
  /** The other events: control, hooks, faults; and the runs of the reconciler. */
  readonly events?: number;
  /** Loops that ended so long ago, with all their rows. */
  readonly loops?: number;
}

/** Rows that were deleted, or would be. */
export interface PruneReport {
  readonly loops: number;
  readonly wireEvents: number;
  /** Messages of the wire log that nothing refers to any more. Not counted in a dry run. */
  readonly wireMessages: number;
  readonly events: number;
  readonly reconcilerRuns: number;
  readonly liveParts: number;
}

/**
 * In small transactions: it may be ended at any time and run again. Live loops are never deleted.
 * @throws DatabaseUnavailable
 */
export async function prune(db: Database, ages: PruneAges, { dryRun }: { readonly dryRun: boolean }): Promise<PruneReport> {
  const cutOff = await cutOffs(db, ages);
  const loops = cutOff.loops === undefined ? 0 : await (dryRun ? countLoops : deleteLoops)(db, cutOff.loops);
  const wire = cutOff.wire === undefined ? { events: 0, messages: 0 } : await (dryRun ? countWire : deleteWire)(db, cutOff.wire);
  const orphans = loops > 0 && !dryRun ? await deleteUnreferencedMessages(db) : 0;
  return {
    loops,
    wireEvents: wire.events,
    wireMessages: wire.messages + orphans,
    events: cutOff.events === undefined ? 0 : await pruneTable(db, EVENTS, cutOff.events, dryRun),
    reconcilerRuns: cutOff.events === undefined ? 0 : await pruneTable(db, RUNS, cutOff.events, dryRun),
    liveParts: cutOff.live === undefined ? 0 : await pruneTable(db, LIVE_PARTS, cutOff.live, dryRun),
  };
}

type CutOffs = { readonly [Kind in keyof PruneAges]?: Date };

/** By the database's clock. */
async function cutOffs(db: Database, ages: PruneAges): Promise<CutOffs> {
  const { rows } = await namingUnavailable(() => sql<{ now: Date }>`select clock_timestamp() as now`.execute(db));
  const now = rows[0]?.now.getTime() ?? Date.now();
  return Object.fromEntries(Object.entries(ages).map(([kind, seconds]) => [kind, new Date(now - seconds * 1000)]));
}

const ENDED_BEFORE = (date: Date) => sql<boolean>`status in ('completed', 'failed', 'cancelled') and status_changed_at < ${date}`;

async function countLoops(db: Database, before: Date): Promise<number> {
  const { count } = await namingUnavailable(() =>
    db
      .selectFrom('loops')
      .select((select) => select.fn.countAll<string>().as('count'))
      .where(ENDED_BEFORE(before))
      .executeTakeFirstOrThrow(),
  );
  return Number(count);
}

/** A loop that is reopened meanwhile is left alone: it is looked at again under its lock. */
async function deleteLoops(db: Database, before: Date): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = await inTransaction(db, async (trx) => {
      const rows = await trx
        .selectFrom('loops')
        .select('id')
        .where(ENDED_BEFORE(before))
        .orderBy('id')
        .limit(BATCH_SIZE)
        .forUpdate()
        .skipLocked()
        .execute();
      if (rows.length > 0)
        await deleteLoopRows(
          trx,
          rows.map((row) => toId<LoopId>(row.id)),
        );
      return rows.length;
    });
    deleted += batch;
    if (batch < BATCH_SIZE) return deleted;
  }
}

const deleteWire = (db: Database, olderThan: Date) => namingUnavailable(() => pruneWire(db, { olderThan }));

async function countWire(db: Database, before: Date): Promise<{ readonly events: number; readonly messages: number }> {
  const { count } = await namingUnavailable(() =>
    db
      .selectFrom('events')
      .select((select) => select.fn.countAll<string>().as('count'))
      .where('kind', 'in', WIRE_KINDS)
      .where('created_at', '<', before)
      .executeTakeFirstOrThrow(),
  );
  return { events: Number(count), messages: 0 };
}

interface PrunedTable {
  readonly table: ReturnType<typeof sql>;
  readonly isOld: (before: Date) => ReturnType<typeof sql>;
}

const EVENTS: PrunedTable = {
  table: sql`solid_loop.events`,
  isOld: (before) => sql`created_at < ${before} and not kind = any(${[...WIRE_KINDS]}::text[])`,
};
const RUNS: PrunedTable = { table: sql`solid_loop.reconciler_runs`, isOld: (before) => sql`started_at < ${before}` };
const LIVE_PARTS: PrunedTable = { table: sql`solid_loop.live_parts`, isOld: (before) => sql`created_at < ${before}` };

async function pruneTable(db: Database, { table, isOld }: PrunedTable, before: Date, dryRun: boolean): Promise<number> {
  if (dryRun) {
    const { rows } = await namingUnavailable(() =>
      sql<{ count: string }>`select count(*) as count from ${table} where ${isOld(before)}`.execute(db),
    );
    return Number(rows[0]?.count ?? 0);
  }
  let deleted = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await namingUnavailable(() =>
      sql`delete from ${table} where ctid = any(array(select ctid from ${table} where ${isOld(before)} limit ${BATCH_SIZE}))`.execute(db),
    );
    deleted += Number(numAffectedRows);
    if (numAffectedRows < BigInt(BATCH_SIZE)) return deleted;
  }
}
