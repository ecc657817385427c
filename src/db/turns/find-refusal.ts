/** Why a turn that is due may not be claimed: a limit of the loop, a price that nobody knows, too many lost attempts. */

import { sql } from 'kysely';
import type { ErrorCode } from '../../domain/errors';
import type { LoopLimits } from '../../domain/loop';
import type { DatabaseTransaction } from '../database';
import type { LockedLoop } from '../repositories/loops.repository';

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

export interface RefusalOptions {
  readonly defaultLimits: LoopLimits;
  readonly costIsKnowable: boolean;
  readonly modelName: string;
  /** Attempts of one turn that may end without a report (R46). */
  readonly lostAttemptsPerStep: number;
  /** With the attempt that is being replaced now. */
  readonly lostAttempts: number;
  readonly lastPhase: string | null;
}

/** Undefined where the claim may go on. Checked at each claim of a turn, before the call (R45). */
export async function findRefusal(trx: DatabaseTransaction, locked: LockedLoop, options: RefusalOptions): Promise<Refusal | undefined> {
  const limits: LoopLimits = { ...options.defaultLimits, ...locked.loop.limits };
  return (
    findDyingTurn(locked, options) ??
    findUnknownPrice(limits, options) ??
    findCountedLimit(locked, limits) ??
    findCostLimit(trx, locked, limits)
  );
}

function findDyingTurn(locked: LockedLoop, options: RefusalOptions): Refusal | undefined {
  if (options.lostAttempts < options.lostAttemptsPerStep) return undefined;
  const phase = options.lastPhase ?? 'unknown';
  return {
    code: 'TurnKeepsDying',
    message: `${options.lostAttempts} attempts of turn ${locked.loop.turnNumber} ended without a report, the last in phase "${phase}"; look at the workers' logs and memory, then retry`,
  };
}

/** R6: a limit on cost means nothing where the cost stays 0. */
function findUnknownPrice(limits: LoopLimits, options: RefusalOptions): Refusal | undefined {
  if (limits.costUsd === undefined || options.costIsKnowable) return undefined;
  return {
    code: 'ConfigError',
    message: `limits.costUsd is ${limits.costUsd}, but no price is known for model "${options.modelName}"; give model.price in the agent, or take the limit away`,
  };
}

function findCountedLimit({ loop, activeSeconds }: LockedLoop, limits: LoopLimits): Refusal | undefined {
  const amounts = [
    { name: 'steps', limit: limits.steps, amount: loop.counters.steps },
    { name: 'tokens', limit: limits.tokens, amount: loop.counters.tokensTotal },
    { name: 'durationSeconds', limit: limits.durationSeconds, amount: Math.floor(activeSeconds) },
  ];
  const reached = amounts.find(({ limit, amount }) => limit !== undefined && amount >= limit);
  return reached && limitReached(reached.name, String(reached.limit), String(reached.amount));
}

/** Counts what was paid for answers that were thrown away. Exact, so in the database. */
async function findCostLimit(trx: DatabaseTransaction, { loop }: LockedLoop, limits: LoopLimits): Promise<Refusal | undefined> {
  if (limits.costUsd === undefined) return undefined;
  const { rows } = await sql<{ is_reached: boolean; amount: string }>`
    select cost + cost_discarded >= cast(${limits.costUsd} as numeric) as is_reached, cost + cost_discarded as amount
    from solid_loop.loops where id = ${loop.id}`.execute(trx);
  return rows[0]?.is_reached === true ? limitReached('costUsd', limits.costUsd, rows[0].amount) : undefined;
}

const limitReached = (name: string, limit: string, amount: string): Refusal => ({
  code: 'LimitExceededError',
  message: `limits.${name} is ${limit}, and the loop has used ${amount}; raise it with setLimits, then retry or reopen`,
});
