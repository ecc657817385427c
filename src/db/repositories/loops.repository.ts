/** Rows of `loops`: found, read under their lock, and turned into domain values. */

import { type RawBuilder, type Selectable, sql } from 'kysely';
import { SolidLoopError } from '../../domain/errors';
import { type Generation, type LoopId, toId } from '../../domain/ids';
import type { JsonObject, Loop, LoopLimits } from '../../domain/loop';
import type { LoopFacts } from '../../domain/next-step';
import type { Database, DatabaseTransaction } from '../database';
import type { Loops } from '../tables/generated';
import { namingUnavailable } from '../transaction';

export type LoopRow = Selectable<Loops>;

/** What was asked to be done at the end of the step (R60). */
export interface RequestedEnd {
  readonly verb: 'pause' | 'stop';
  readonly by: string | null;
  readonly reason: string | null;
}

/** A loop as it is under its row lock, with what the protocol decides by. */
export interface LockedLoop {
  readonly loop: Loop;
  readonly facts: LoopFacts;
  readonly namespaceId: string | null;
  readonly runId: string | null;
  readonly startKey: string;
  /** Temporal's scheduled time of the attempt that claimed last (R26). */
  readonly attemptScheduledMs: number;
  /** `retry` wants the turn anew: nobody has claimed it since. */
  readonly isWantedAnew: boolean;
  readonly lostAttempts: number;
  readonly lastPhase: string | null;
  readonly revivals: number;
  readonly requested: RequestedEnd | null;
  readonly wakeDueAt: Date | null;
  readonly pausedBy: string | null;
  readonly pausedReason: string | null;
  /** Wall time since birth without the time at rest. Seconds. */
  readonly activeSeconds: number;
  /** Since when no worker knew the agent. Seconds; null where it is known. */
  readonly unknownForSeconds: number | null;
  readonly frozenBy: string | null;
  readonly finishedNotifiedAt: Date | null;
}

/** A row of `loops` with the times that only the database's clock can tell. */
export interface LockedLoopRow extends LoopRow {
  readonly active_seconds: number;
  readonly unknown_for_seconds: number | null;
}

/** Columns of a `LockedLoopRow`, for `select … from solid_loop.loops` and `update solid_loop.loops … returning`. */
export const LOCKED_LOOP_COLUMNS: RawBuilder<LockedLoopRow> = sql<LockedLoopRow>`
  loops.*,
  cast(extract(epoch from clock_timestamp() - loops.created_at) as float8) - loops.paused_seconds as active_seconds,
  cast(extract(epoch from clock_timestamp() - loops.unknown_since) as float8) as unknown_for_seconds`;

/** @throws DatabaseUnavailable */
export function findLoop(db: Database, loopId: LoopId): Promise<Loop | undefined> {
  return findBy(db, 'id', loopId);
}

/** @throws LoopNotFound, DatabaseUnavailable */
export async function getLoop(db: Database, loopId: LoopId): Promise<Loop> {
  const loop = await findLoop(db, loopId);
  if (loop === undefined) throw loopNotFound(loopId);
  return loop;
}

/** @throws DatabaseUnavailable */
export function findLoopByWorkflowId(db: Database, workflowId: string): Promise<Loop | undefined> {
  return findBy(db, 'workflow_id', workflowId);
}

/** @throws DatabaseUnavailable */
export function findLoopByStartKey(db: Database, startKey: string): Promise<Loop | undefined> {
  return findBy(db, 'start_key', startKey);
}

async function findBy(db: Database, column: 'id' | 'workflow_id' | 'start_key', value: string): Promise<Loop | undefined> {
  const row = await namingUnavailable(() => db.selectFrom('loops').selectAll().where(column, '=', value).executeTakeFirst());
  return row && toLoop(row);
}

/**
 * Reads and locks the row in one statement (R23). The first lock of every transaction that writes to a loop.
 * @throws LoopNotFound
 */
export async function lockLoop(trx: DatabaseTransaction, loopId: LoopId): Promise<LockedLoop> {
  const locked = await lockWhere(trx, sql`loops.id = ${loopId}`);
  if (locked === undefined) throw loopNotFound(loopId);
  return locked;
}

export function lockLoopByWorkflowId(trx: DatabaseTransaction, workflowId: string): Promise<LockedLoop | undefined> {
  return lockWhere(trx, sql`loops.workflow_id = ${workflowId}`);
}

export function loopNotFound(loopId: LoopId): SolidLoopError {
  return new SolidLoopError('LoopNotFound', `there is no loop ${loopId} in this database; check the id and the database's address`, {
    field: 'loopId',
  });
}

async function lockWhere(trx: DatabaseTransaction, condition: RawBuilder<unknown>): Promise<LockedLoop | undefined> {
  const { rows } = await sql<LockedLoopRow>`
    select ${LOCKED_LOOP_COLUMNS} from solid_loop.loops where ${condition} for no key update of loops`.execute(trx);
  return rows[0] && toLockedLoop(rows[0]);
}

export function toLockedLoop(row: LockedLoopRow): LockedLoop {
  return {
    loop: toLoop(row),
    facts: {
      status: row.status,
      hasLease: row.lease_expires_at !== null,
      adminFrozen: row.admin_frozen,
      turnNumber: row.turn_number,
      generation: toId<Generation>(row.generation),
    },
    namespaceId: row.namespace_id,
    runId: row.run_id,
    startKey: row.start_key,
    attemptScheduledMs: Number(row.attempt_scheduled_ms),
    isWantedAnew: row.retry_generation === row.generation,
    lostAttempts: row.lost_attempts,
    lastPhase: row.last_phase,
    revivals: row.revivals,
    requested: row.requested === null ? null : { verb: row.requested, by: row.requested_by, reason: row.requested_reason },
    wakeDueAt: row.wake_due_at,
    pausedBy: row.paused_by,
    pausedReason: row.paused_reason,
    activeSeconds: row.active_seconds,
    unknownForSeconds: row.unknown_for_seconds,
    frozenBy: row.frozen_by,
    finishedNotifiedAt: row.finished_notified_at,
  };
}

export function toLoop(row: LoopRow): Loop {
  return {
    id: toId<LoopId>(row.id),
    workflowId: row.workflow_id,
    taskQueue: row.task_queue,
    agentName: row.agent_name,
    title: row.title,
    subject: row.subject_type === null || row.subject_id === null ? null : { type: row.subject_type, id: row.subject_id },
    state: row.state as JsonObject,
    status: row.status,
    statusChangedAt: row.status_changed_at,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    generation: toId<Generation>(row.generation),
    turnNumber: row.turn_number,
    turnFailures: row.turn_failures,
    adminFrozen: row.admin_frozen,
    observeEnabled: row.observe_enabled,
    limits: row.limits as LoopLimits,
    counters: {
      steps: row.step_count,
      tokensPrompt: Number(row.tokens_prompt),
      tokensCompletion: Number(row.tokens_completion),
      tokensTotal: Number(row.tokens_total),
      tokensPromptCached: Number(row.tokens_prompt_cached),
      durationGeneration: row.duration_generation,
      durationTools: row.duration_tools,
      cost: row.cost,
      costDiscarded: row.cost_discarded,
      costKnown: row.cost_known,
    },
    parentLoopId: row.parent_loop_id === null ? null : toId<LoopId>(row.parent_loop_id),
    definitionHash: row.definition_hash,
    traceParent: row.trace_parent,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
