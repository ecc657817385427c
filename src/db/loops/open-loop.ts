/** How a workflow comes to its loop: finds the row or makes it, and writes who drives it (R8, R25, R77). */

import { sql } from 'kysely';
import type { StartInput } from '../../domain/agent-loop-input';
import { SolidLoopError } from '../../domain/errors';
import { isRowId, type LoopId, toId } from '../../domain/ids';
import type { Loop } from '../../domain/loop';
import { answerNextStep, type NextStepAnswer } from './answer-next-step';
import type { Database, DatabaseTransaction } from '../database';
import { insertLoop } from './insert-loop';
import {
  findLoopByStartKey,
  LOCKED_LOOP_COLUMNS,
  type LockedLoop,
  type LockedLoopRow,
  lockLoop,
  lockLoopByWorkflowId,
  loopNotFound,
  toLockedLoop,
} from '../repositories/loops.repository';
import { inTransaction } from '../transaction';

export interface OpenLoopOptions {
  readonly workflowId: string;
  readonly runId: string;
  readonly taskQueue: string;
  /** Id of the Temporal namespace, not its name (R8). */
  readonly namespaceId: string;
  /** Of the agent as this worker knows it: kept from the first time on. */
  readonly definitionHashOf?: (agentName: string) => string | undefined;
  /** Of a start by content. Exactly one of `start` and `loopId`. */
  readonly start?: StartInput;
  /** Of a start or wake by reference. */
  readonly loopId?: string;
}

export interface OpenedLoopRow extends NextStepAnswer {
  readonly created: boolean;
}

/**
 * Idempotent: a replay, a reset or a second run finds the loop as it is. Stamps namespace id, queue and run under the
 * lock, moves `init` to `queued`, clears `wake_due_at`.
 * @throws LoopNotFound, LoopExists, StartRefused, DatabaseUnavailable
 */
export function openLoop(db: Database, options: OpenLoopOptions): Promise<OpenedLoopRow> {
  return inTransaction(db, async (trx) => {
    const { locked, created } = await findOrInsert(trx, options);
    assertOurNamespace(locked, options.namespaceId);
    const opened = await stampOpened(trx, locked.loop, options);
    return { ...(await answerNextStep(trx, opened)), created };
  });
}

async function findOrInsert(trx: DatabaseTransaction, options: OpenLoopOptions): Promise<{ locked: LockedLoop; created: boolean }> {
  const { workflowId, start, loopId } = options;
  if (loopId !== undefined) return { locked: await lockById(trx, loopId, workflowId), created: false };
  if (start === undefined) {
    throw new SolidLoopError(
      'StartRefused',
      `workflow "${workflowId}" was started without an input; give { agent, message } or { loopId }`,
    );
  }
  const existing = await lockLoopByWorkflowId(trx, workflowId);
  if (existing !== undefined) return { locked: assertSameStart(existing, start), created: false };
  const inserted = await insertLoop(trx, { workflowId, taskQueue: options.taskQueue, namespaceId: options.namespaceId, start });
  if (inserted !== undefined) return { locked: await lockLoop(trx, inserted), created: true };
  return { locked: await lockRacingStart(trx, workflowId, start), created: false };
}

/** The insert met a row: of this workflow id, by a start at the same time, or of this start key. */
async function lockRacingStart(trx: DatabaseTransaction, workflowId: string, start: StartInput): Promise<LockedLoop> {
  const racing = await lockLoopByWorkflowId(trx, workflowId);
  if (racing !== undefined) return assertSameStart(racing, start);
  const key = start.key ?? workflowId;
  const owner = await findLoopByStartKey(trx, key);
  throw new SolidLoopError(
    'LoopExists',
    `start key "${key}" belongs to loop ${owner?.id ?? 'of another start'} (workflow "${owner?.workflowId ?? ''}"), not to workflow "${workflowId}"; ` +
      'use that loop (reopen continues one that has ended), or start with another key',
    { field: 'key' },
  );
}

async function lockById(trx: DatabaseTransaction, loopId: string, workflowId: string): Promise<LockedLoop> {
  if (!isRowId(loopId)) throw loopNotFound(toId<LoopId>(loopId));
  const locked = await lockLoop(trx, toId<LoopId>(loopId));
  if (locked.loop.workflowId === workflowId) return locked;
  throw new SolidLoopError(
    'StartRefused',
    `loop ${loopId} is driven by workflow "${locked.loop.workflowId}", not by "${workflowId}"; signal that workflow instead`,
    { field: 'loopId' },
  );
}

/** R77: the same start key is the same start, whatever became of the loop. */
function assertSameStart(locked: LockedLoop, start: StartInput): LockedLoop {
  const { id, workflowId } = locked.loop;
  const key = start.key ?? workflowId;
  if (locked.startKey === key) return locked;
  throw new SolidLoopError(
    'LoopExists',
    `workflow id "${workflowId}" has loop ${id} already, started with key "${locked.startKey}" and not "${key}"; ` +
      'reopen it with a new message, or start under another workflow id',
    { field: 'key' },
  );
}

function assertOurNamespace(locked: LockedLoop, namespaceId: string): void {
  if (locked.namespaceId === null || locked.namespaceId === namespaceId) return;
  throw new SolidLoopError(
    'StartRefused',
    `loop ${locked.loop.id} belongs to Temporal namespace ${locked.namespaceId}, and this is ${namespaceId}; ` +
      'if this server is to take over its loops, run "solidloop adopt"',
    { field: 'namespaceId' },
  );
}

async function stampOpened(trx: DatabaseTransaction, { id: loopId, agentName }: Loop, options: OpenLoopOptions): Promise<LockedLoop> {
  const { rows } = await sql<LockedLoopRow>`
    update solid_loop.loops
    set namespace_id = ${options.namespaceId},
      run_id = ${options.runId},
      task_queue = ${options.taskQueue},
      definition_hash = coalesce(definition_hash, ${options.definitionHashOf?.(agentName) ?? null}),
      wake_due_at = null,
      status_changed_at = case when status = 'init' then clock_timestamp() else status_changed_at end,
      status = case when status = 'init' then 'queued' else status end,
      updated_at = clock_timestamp()
    where id = ${loopId}
    returning ${LOCKED_LOOP_COLUMNS}`.execute(trx);
  if (rows[0] === undefined) throw loopNotFound(loopId);
  return toLockedLoop(rows[0]);
}
