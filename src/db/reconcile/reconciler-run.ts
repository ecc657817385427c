/** Rows of `reconciler_runs`: when it ran last, and what it did. */

import { sql } from 'kysely';
import type { Database } from '../database';
import type { ReconcileCounts } from './reconcile-options';
import { toJsonb } from '../postgres/jsonb';
import { namingUnavailable } from '../transaction';

/** @throws DatabaseUnavailable */
export function insertRun(db: Database): Promise<string> {
  return namingUnavailable(async () => {
    const { id } = await db.insertInto('reconciler_runs').defaultValues().returning('id').executeTakeFirstOrThrow();
    return id;
  });
}

/** @throws DatabaseUnavailable */
export async function finishRun(db: Database, runId: string, counts: ReconcileCounts, error: string | null): Promise<void> {
  const finished = { finished_at: sql<Date>`clock_timestamp()`, counts: toJsonb(counts), error };
  await namingUnavailable(() => db.updateTable('reconciler_runs').set(finished).where('id', '=', runId).execute());
}
