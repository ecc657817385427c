/** An attempt takes a turn that is due: one transaction under the loop's lock (R10, R25, R26, R45, R46). */

import { sql } from 'kysely';
import { LostLease } from '../../domain/errors';
import { type Generation, type LoopId, type MessageId, toId } from '../../domain/ids';
import type { Loop, LoopLimits } from '../../domain/loop';
import { answerNextStep, type NextStepAnswer } from '../loops/answer-next-step';
import type { Database, DatabaseTransaction } from '../database';
import { failLoop } from '../loops/fail-loop';
import { findRefusal } from './find-refusal';
import { notifyControl } from '../loops/notify-control';
import {
  LOCKED_LOOP_COLUMNS,
  type LockedLoop,
  type LockedLoopRow,
  lockLoop,
  loopNotFound,
  toLockedLoop,
} from '../repositories/loops.repository';
import { inTransaction } from '../transaction';

export interface ClaimTurnOptions {
  readonly loopId: LoopId;
  readonly turnNumber: number;
  /** When Temporal scheduled this attempt (`currentAttemptScheduledTimestampMs`). Milliseconds. */
  readonly attemptScheduledMs: number;
  readonly leaseSeconds: number;
  /** True for an agent that streams (R33). */
  readonly withShell: boolean;
  /** The agent's limits over the engine's default; the loop's own come before them. */
  readonly defaultLimits: LoopLimits;
  readonly lostAttemptsPerStep: number;
  /** A price is known for the model (R6). */
  readonly costIsKnowable: boolean;
  readonly modelName: string;
  /** Where the attempt before this one was when it was last heard of, from its heartbeat. */
  readonly phase?: string;
}

export type TurnClaim =
  | {
      readonly kind: 'claimed';
      readonly generation: Generation;
      readonly loop: Loop;
      readonly shellId: MessageId | null;
      /** An earlier attempt held the turn and never reported. */
      readonly isTakeover: boolean;
    }
  | ({ readonly kind: 'answered' } & NextStepAnswer);

/**
 * `answered`: this turn is not due, or a limit ended the loop. Else generation + 1, a lease, older shells failed, pending
 * user messages delivered in order, and behind them the shell.
 * @throws LostLease for an attempt that was scheduled before the one that claimed last; LoopNotFound, DatabaseUnavailable
 */
export function claimTurn(db: Database, options: ClaimTurnOptions): Promise<TurnClaim> {
  return inTransaction(db, async (trx) => {
    const locked = await lockLoop(trx, options.loopId);
    const answer = await answerNextStep(trx, locked);
    if (answer.next.kind !== 'turn' || answer.next.turnNumber !== options.turnNumber) return { kind: 'answered', ...answer };
    assertNotOlder(locked, options);
    const lostAttempts = locked.lostAttempts + (locked.facts.hasLease ? 1 : 0);
    const lastPhase = options.phase ?? locked.lastPhase;
    const refusal = await findRefusal(trx, locked, { ...options, lostAttempts, lastPhase });
    if (refusal !== undefined) return { kind: 'answered', ...(await failLoop(trx, options.loopId, refusal.code, refusal.message)) };
    if (locked.facts.hasLease) await notifyControl(trx, options.loopId);
    return writeClaim(trx, options, { lostAttempts, lastPhase, isTakeover: locked.facts.hasLease });
  });
}

function assertNotOlder(locked: LockedLoop, { loopId, turnNumber, attemptScheduledMs }: ClaimTurnOptions): void {
  if (attemptScheduledMs < locked.attemptScheduledMs) throw new LostLease(`turn ${turnNumber} of loop ${loopId}`);
}

interface ClaimedRow extends LockedLoopRow {
  readonly shell_id: string | null;
}

async function writeClaim(
  trx: DatabaseTransaction,
  { loopId, turnNumber, ...options }: ClaimTurnOptions,
  counts: { readonly lostAttempts: number; readonly lastPhase: string | null; readonly isTakeover: boolean },
): Promise<TurnClaim> {
  const { rows } = await sql<ClaimedRow>`
    with claimed as (
      update solid_loop.loops
      set status = 'running',
        status_changed_at = case when status = 'running' then status_changed_at else clock_timestamp() end,
        generation = generation + 1,
        attempt_scheduled_ms = ${options.attemptScheduledMs},
        lease_expires_at = clock_timestamp() + make_interval(secs => ${options.leaseSeconds}),
        renewed_at = clock_timestamp(),
        lost_attempts = ${counts.lostAttempts},
        last_phase = ${counts.lastPhase},
        unknown_since = null,
        error_code = null,
        error_message = null,
        updated_at = clock_timestamp()
      where id = ${loopId}
      returning ${LOCKED_LOOP_COLUMNS}
    ), old_shells as (
      update solid_loop.messages set status = 'failed', is_hidden = true, updated_at = clock_timestamp(),
        error_message = coalesce(error_message, 'a later attempt took the turn over')
      where loop_id = ${loopId} and role = 'assistant' and status = 'processing'
    ), place as (
      select coalesce(max(seq), 0) as last from solid_loop.messages where loop_id = ${loopId}
    ), waiting as (
      select id, cast(row_number() over (order by id) as integer) as nth
      from solid_loop.messages where loop_id = ${loopId} and status = 'pending'
    ), delivered as (
      update solid_loop.messages m
      set status = 'processing', is_hidden = false, turn_number = ${turnNumber}, generation = claimed.generation,
        seq = place.last + waiting.nth, updated_at = clock_timestamp()
      from waiting, place, claimed where m.id = waiting.id
      returning m.id
    ), shell as (
      insert into solid_loop.messages (loop_id, role, status, is_hidden, turn_number, generation, seq)
      select ${loopId}, 'assistant', 'processing', true, ${turnNumber}, claimed.generation, place.last + (select count(*) from waiting) + 1
      from claimed, place where ${options.withShell}
      returning id
    )
    select claimed.*, (select id from shell) as shell_id from claimed`.execute(trx);
  const row = rows[0];
  if (row === undefined) throw loopNotFound(loopId);
  const { loop, facts } = toLockedLoop(row);
  return {
    kind: 'claimed',
    generation: facts.generation,
    loop,
    shellId: row.shell_id === null ? null : toId<MessageId>(row.shell_id),
    isTakeover: counts.isTakeover,
  };
}
