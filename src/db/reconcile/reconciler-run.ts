/** Rows of `reconciler_runs`: when it ran last, and what it did. */

import { sql } from 'kysely';
import type { Database } from '../database';
import type { ReconcileCounts } from './reconcile-options';
import { toJsonb } from '../postgres/jsonb';

export async function insertRun(db: Database): Promise<string> {
  const { id } = await db.insertInto('reconciler_runs').defaultValues().returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function finishRun(db: Database, runId: string, counts: ReconcileCounts, error: string | null): Promise<void> {
  await db
    .updateTable('reconciler_runs')
    .set({ finished_at: sql`clock_timestamp()`, counts: toJsonb(counts), error })
    .where('id', '=', runId)
    .execute();
}
