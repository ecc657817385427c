/** Live loops of a namespace whose workflow may be gone (R70), in pages. */

import { type RawBuilder, sql } from 'kysely';
import { type Generation, type LoopId, toId } from '../../domain/ids';
import type { LoopStatus } from '../../domain/loop';
import type { DrivenLoop } from '../../domain/temporal-driver';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';

const PAGE_SIZE = 200;
/** A loop that changed a moment ago is on its way. */
const SETTLING_SECONDS = 10;

/** A loop as it was seen before Temporal was asked: a repair acts only while it still looks so. */
export interface SeenLoop extends DrivenLoop {
  readonly status: LoopStatus;
  readonly generation: Generation;
  readonly runId: string | null;
  readonly revivals: number;
}

interface SeenRow {
  readonly id: string;
  readonly workflow_id: string;
  readonly task_queue: string;
  readonly agent_name: string;
  readonly status: LoopStatus;
  readonly generation: string;
  readonly run_id: string | null;
  readonly revivals: number;
}

export interface LiveLoopSearch {
  readonly namespaceId: string;
  /** Age from which a loop that no workflow has opened is looked at. Seconds. */
  readonly queuedReapThreshold: number;
}

/** Left out: a loop with a wake that is due (it is woken instead), one that changed just now, and a young one that was never opened. */
export async function* findLiveLoops(db: Database, search: LiveLoopSearch): AsyncGenerator<SeenLoop> {
  let after = toId<LoopId>('0');
  for (;;) {
    const page = await readPage(db, search, after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function readPage(db: Database, { namespaceId, queuedReapThreshold }: LiveLoopSearch, after: LoopId): Promise<readonly SeenLoop[]> {
  const { rows } = await namingUnavailable(() =>
    sql<SeenRow>`
      select id, workflow_id, task_queue, agent_name, status, generation, run_id, revivals
      from solid_loop.loops
      where id > ${after} and status in ('init', 'queued', 'running', 'paused') and wake_due_at is null
        and ${isOfNamespace(namespaceId)}
        and status_changed_at < clock_timestamp() - make_interval(secs => case when run_id is null then cast(${queuedReapThreshold} as float8) else cast(${SETTLING_SECONDS} as float8) end)
      order by id limit ${PAGE_SIZE}`.execute(db),
  );
  return rows.map((row) => ({
    id: toId<LoopId>(row.id),
    workflowId: row.workflow_id,
    taskQueue: row.task_queue,
    agentName: row.agent_name,
    status: row.status,
    generation: toId<Generation>(row.generation),
    runId: row.run_id,
    revivals: row.revivals,
  }));
}

/** A row that no workflow has opened has none yet: it belongs to the installation's. */
export const isOfNamespace = (namespaceId: string): RawBuilder<boolean> =>
  sql<boolean>`coalesce(namespace_id, ${namespaceId}) = ${namespaceId}`;

/** Live loops that another server drives or drove. */
export async function countForeignLoops(db: Database, namespaceId: string): Promise<number> {
  const { rows } = await namingUnavailable(() =>
    sql<{ count: number }>`
      select cast(count(*) as integer) as count from solid_loop.loops
      where status in ('init', 'queued', 'running', 'paused') and not ${isOfNamespace(namespaceId)}`.execute(db),
  );
  return rows[0]?.count ?? 0;
}
