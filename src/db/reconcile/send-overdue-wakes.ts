/** Sends again the wakes that no workflow has read: their sender died before it sent them, or Temporal lost them (R67). */

import { sql } from 'kysely';
import { type LoopId, toId } from '../../domain/ids';
import type { DrivenLoop, TemporalDriver } from '../../domain/temporal-driver';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';
import { isOfNamespace } from './find-live-loops';

const OVERDUE_SECONDS = 10;

/** Oldest first. A loop that has ended is among them: its workflow may have to close. */
export async function findOverdueWakes(db: Database, namespaceId: string): Promise<readonly DrivenLoop[]> {
  const { rows } = await namingUnavailable(() =>
    sql<{ id: string; workflow_id: string; task_queue: string; agent_name: string }>`
      select id, workflow_id, task_queue, agent_name from solid_loop.loops
      where wake_due_at < clock_timestamp() - make_interval(secs => ${OVERDUE_SECONDS}) and ${isOfNamespace(namespaceId)}
      order by wake_due_at`.execute(db),
  );
  return rows.map((row) => ({
    id: toId<LoopId>(row.id),
    workflowId: row.workflow_id,
    taskQueue: row.task_queue,
    agentName: row.agent_name,
  }));
}

/** Answers how many. A repeat of a wake is harmless: it carries nothing. @throws TemporalUnavailable */
export async function sendOverdueWakes(
  db: Database,
  temporal: Pick<TemporalDriver, 'wake'>,
  { namespaceId, dryRun }: { readonly namespaceId: string; readonly dryRun: boolean },
): Promise<number> {
  const overdue = await findOverdueWakes(db, namespaceId);
  if (!dryRun) for (const loop of overdue) await temporal.wake(loop);
  return overdue.length;
}
