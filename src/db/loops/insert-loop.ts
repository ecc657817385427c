/** Makes the row of a loop, and its first message. */

import { sql } from 'kysely';
import type { StartInput } from '../../domain/agent-loop-input';
import { type LoopId, toId } from '../../domain/ids';
import { cleanTextOrNull } from '../postgres/clean-text';
import { contentColumns } from '../postgres/content-columns';
import type { DatabaseTransaction } from '../database';
import { toJsonb } from '../postgres/jsonb';

export interface InsertLoopOptions {
  readonly workflowId: string;
  readonly taskQueue: string;
  /** Null for a start that knows no server yet: `openLoop` stamps it. */
  readonly namespaceId: string | null;
  readonly start: StartInput;
  readonly parentLoopId?: LoopId;
  /** W3C trace context of the start. */
  readonly traceParent?: string;
}

/**
 * The loop is `init`; its first message waits as pending and hidden, for the first claim to deliver.
 * Undefined, and nothing written, where the workflow id or the start key is taken.
 */
export async function insertLoop(trx: DatabaseTransaction, options: InsertLoopOptions): Promise<LoopId | undefined> {
  const { start, workflowId } = options;
  const message = contentColumns(start.message);
  const { rows } = await sql<{ id: string }>`
    with inserted as (
      insert into solid_loop.loops
        (workflow_id, start_key, task_queue, namespace_id, agent_name, title, subject_type, subject_id, state, limits, parent_loop_id, trace_parent)
      values (${workflowId}, ${start.key ?? workflowId}, ${options.taskQueue}, ${options.namespaceId}, ${start.agent},
        ${cleanTextOrNull(start.title)}, ${cleanTextOrNull(start.subject?.type)}, ${cleanTextOrNull(start.subject?.id)},
        ${toJsonb(start.state ?? {})}, ${toJsonb(start.limits ?? {})}, ${options.parentLoopId ?? null}, ${options.traceParent ?? null})
      on conflict do nothing
      returning id
    ), first_message as (
      insert into solid_loop.messages (loop_id, role, status, is_hidden, content, content_parts)
      select id, 'user', 'pending', true, ${message.content}, ${message.content_parts} from inserted
    )
    select id from inserted`.execute(trx);
  return rows[0] && toId<LoopId>(rows[0].id);
}
