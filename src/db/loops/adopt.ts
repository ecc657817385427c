/** Takes over loops that another Temporal server drove (R71): a restored copy, a moved namespace, a fresh dev server over old data. */

import { sql } from 'kysely';
import { type LoopId, toId } from '../../domain/ids';
import type { Database, DatabaseTransaction } from '../database';
import { inTransaction, namingUnavailable } from '../transaction';

export interface AdoptReport {
  /** The namespace that the tables belonged to before; null where they belonged to none. */
  readonly installationNamespaceId: string | null;
  /** Loops of other namespaces, by the namespace's id. */
  readonly loops: Readonly<Record<string, number>>;
  /** Those of them that have not ended: they go on here. */
  readonly liveLoops: number;
}

/**
 * Counts first; with `dryRun` that is all. Each loop is a transaction: its namespace becomes ours, and the stored attempt times,
 * another server's clock, are cleared (R26). Starting the workflows is the reconciler's. An aborted run is simply run again.
 * @throws DatabaseUnavailable
 */
export async function adopt(db: Database, namespaceId: string, { dryRun }: { readonly dryRun: boolean }): Promise<AdoptReport> {
  const report = await count(db, namespaceId);
  if (dryRun) return report;
  for (const loopId of await findForeign(db, namespaceId)) await inTransaction(db, (trx) => adoptLoop(trx, loopId, namespaceId));
  await namingUnavailable(() => db.updateTable('installation').set({ namespace_id: namespaceId }).execute());
  return report;
}

async function count(db: Database, namespaceId: string): Promise<AdoptReport> {
  const { rows } = await namingUnavailable(() =>
    sql<{ namespace_id: string; loops: number; live: number }>`
      select namespace_id, cast(count(*) as integer) as loops,
        cast(count(*) filter (where status in ('init', 'queued', 'running', 'paused')) as integer) as live
      from solid_loop.loops where namespace_id <> ${namespaceId} group by namespace_id`.execute(db),
  );
  const installation = await namingUnavailable(() => db.selectFrom('installation').select('namespace_id').executeTakeFirst());
  return {
    installationNamespaceId: installation?.namespace_id ?? null,
    loops: Object.fromEntries(rows.map((row) => [row.namespace_id, row.loops])),
    liveLoops: rows.reduce((sum, row) => sum + row.live, 0),
  };
}

async function findForeign(db: Database, namespaceId: string): Promise<readonly LoopId[]> {
  const rows = await namingUnavailable(() =>
    db.selectFrom('loops').select('id').where('namespace_id', '<>', namespaceId).orderBy('id').execute(),
  );
  return rows.map((row) => toId<LoopId>(row.id));
}

async function adoptLoop(trx: DatabaseTransaction, loopId: LoopId, namespaceId: string): Promise<void> {
  await trx
    .updateTable('loops')
    .set({ namespace_id: namespaceId, attempt_scheduled_ms: '0', revivals: 0, updated_at: sql`clock_timestamp()` })
    .where('id', '=', loopId)
    .execute();
  await trx.updateTable('tool_calls').set({ attempt_scheduled_ms: '0' }).where('loop_id', '=', loopId).execute();
}
