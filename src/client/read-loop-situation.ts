/** Reads what the tables say of a loop's situation, in one statement. */

import { sql } from 'kysely';
import { SolidLoopError } from '../domain/errors';
import { type Generation, type LoopId, toId } from '../domain/ids';
import { CUT_OFF } from '../domain/wire';
import type { Database } from '../db/database';
import type { LoopRow } from '../db/repositories/loops.repository';
import type { CallSituation, LoopSituation } from './why-facts';

interface SituationRow extends LoopRow {
  readonly now: Date;
  readonly waiting_messages: number;
  readonly calls:
    | readonly {
        readonly id: string;
        readonly name: string;
        readonly started_at: string | null;
        readonly renewed_at: string | null;
        readonly is_executed: boolean;
      }[]
    | null;
  readonly last_error: { readonly status: number | null; readonly error: string | null; readonly at: string } | null;
  readonly last_refusal: { readonly kind: string; readonly error: string | null; readonly at: string } | null;
}

/** @throws LoopNotFound */
export async function readLoopSituation(db: Database, loopId: LoopId): Promise<{ readonly now: Date; readonly loop: LoopSituation }> {
  const { rows } = await sql<SituationRow>`
    select l.*, clock_timestamp() as now,
      (select count(*)::integer from solid_loop.messages m where m.loop_id = l.id and m.status = 'pending') as waiting_messages,
      (select json_agg(json_build_object('id', c.id::text, 'name', c.function_name, 'started_at', c.started_at, 'renewed_at', c.renewed_at,
        'is_executed', c.executed_at is not null) order by c.message_id, c.position)
        from solid_loop.tool_calls c where c.loop_id = l.id and not exists (select from solid_loop.messages m where m.tool_call_ref = c.id)) as calls,
      (select json_build_object('status', e.status, 'error', e.error, 'at', coalesce(e.completed_at, e.created_at)) from solid_loop.events e
        where e.loop_id = l.id and e.kind in ('llm-request', 'mcp-request') and (e.status >= 400 or e.error is not null) and not starts_with(coalesce(e.error, ''), ${CUT_OFF}) order by e.id desc limit 1) as last_error,
      (select json_build_object('kind', e.kind, 'error', e.error, 'at', e.created_at) from solid_loop.events e
        where e.loop_id = l.id and e.kind not in ('llm-request', 'mcp-request', 'tool-call') and e.error is not null order by e.id desc limit 1) as last_refusal
    from solid_loop.loops l where l.id = ${loopId}::bigint`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new SolidLoopError('LoopNotFound', `no loop has the id ${loopId}`, { field: 'loop' });
  return { now: row.now, loop: toSituation(row) };
}

function toSituation(row: SituationRow): LoopSituation {
  return {
    id: toId<LoopId>(row.id),
    workflowId: row.workflow_id,
    taskQueue: row.task_queue,
    agentName: row.agent_name,
    status: row.status,
    statusChangedAt: row.status_changed_at,
    generation: toId<Generation>(row.generation),
    turnNumber: row.turn_number,
    turnFailures: row.turn_failures,
    lostAttempts: row.lost_attempts,
    lastPhase: row.last_phase,
    leaseExpiresAt: row.lease_expires_at,
    renewedAt: row.renewed_at,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    requested: row.requested,
    requestedBy: row.requested_by,
    wakeDueAt: row.wake_due_at,
    pausedBy: row.paused_by,
    pausedReason: row.paused_reason,
    unknownSince: row.unknown_since,
    isFrozen: row.admin_frozen,
    frozenBy: row.frozen_by,
    frozenReason: row.frozen_reason,
    frozenAt: row.frozen_at,
    waitingMessages: row.waiting_messages,
    unresolvedCalls: (row.calls ?? []).map(toCallSituation),
    lastError: row.last_error && { ...row.last_error, at: new Date(row.last_error.at) },
    lastRefusal: row.last_refusal && { ...row.last_refusal, at: new Date(row.last_refusal.at) },
  };
}

const toDate = (value: string | null): Date | null => (value === null ? null : new Date(value));

function toCallSituation(call: NonNullable<SituationRow['calls']>[number]): CallSituation {
  return {
    id: call.id,
    name: call.name,
    startedAt: toDate(call.started_at),
    renewedAt: toDate(call.renewed_at),
    isExecuted: call.is_executed,
  };
}
