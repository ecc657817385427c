/** An agent or tool that this worker does not know: waited for a while (a rolling deploy), then the loop pauses (R46). */

import { sql } from 'kysely';
import type { ClaimNumber, LoopId, ToolCallId } from '../../domain/ids';
import { answerAtRest, answerNextStep, type NextStepAnswer } from './answer-next-step';
import type { Database, DatabaseTransaction } from '../database';
import { notifyControl } from './notify-control';
import { type LockedLoop, lockLoop } from '../repositories/loops.repository';
import { setLoopAtRest } from './set-loop-at-rest';
import { inTransaction } from '../transaction';

export interface UnknownNameOptions {
  readonly loopId: LoopId;
  /** The turn that wants it. Another one is due: nothing is written. */
  readonly turnNumber: number;
  /** The call whose tool is unknown; absent where it is the agent. */
  readonly callId?: ToolCallId;
  /** The claim that found its tool unknown: the body was not entered, and the call counts as never started (R58). */
  readonly claimNumber?: ClaimNumber;
  readonly name: string;
  readonly knownNames: readonly string[];
  readonly patienceSeconds: number;
}

export type UnknownName =
  /** Not for long enough: the attempt fails retryably. */
  { readonly kind: 'waiting'; readonly forSeconds: number } | ({ readonly kind: 'paused' | 'answered' } & NextStepAnswer);

/** @throws LoopNotFound, DatabaseUnavailable */
export function noteUnknownAgent(db: Database, options: UnknownNameOptions): Promise<UnknownName> {
  return inTransaction(db, async (trx) => {
    const locked = await lockLoop(trx, options.loopId);
    const answer = await answerNextStep(trx, locked);
    if (!isStillWanted(answer, options)) return { kind: 'answered', ...answer };
    const forSeconds = await markUnknown(trx, options);
    if (forSeconds < options.patienceSeconds) return { kind: 'waiting', forSeconds };
    await markUnstarted(trx, options);
    return { kind: 'paused', ...(await pauseUnknown(trx, locked, options)) };
  });
}

function isStillWanted({ next }: NextStepAnswer, { turnNumber, callId }: UnknownNameOptions): boolean {
  if (next.kind === 'turn') return callId === undefined && next.turnNumber === turnNumber;
  return next.kind === 'tools' && next.turnNumber === turnNumber && (callId === undefined || next.calls.some((call) => call.id === callId));
}

/** Seconds since the first such failure. */
async function markUnknown(trx: DatabaseTransaction, { loopId, callId }: UnknownNameOptions): Promise<number> {
  const table = callId === undefined ? sql`solid_loop.loops` : sql`solid_loop.tool_calls`;
  const { rows } = await sql<{ seconds: number }>`
    update ${table} set unknown_since = coalesce(unknown_since, clock_timestamp()) where id = ${callId ?? loopId}
    returning cast(extract(epoch from clock_timestamp() - unknown_since) as float8) as seconds`.execute(trx);
  return rows[0]?.seconds ?? 0;
}

async function markUnstarted(trx: DatabaseTransaction, { callId, claimNumber }: UnknownNameOptions): Promise<void> {
  if (callId === undefined || claimNumber === undefined) return;
  await trx
    .updateTable('tool_calls')
    .set({ started_at: null, started_claim: null })
    .where('id', '=', callId)
    .where('started_claim', '=', claimNumber)
    .execute();
}

async function pauseUnknown(trx: DatabaseTransaction, { loop }: LockedLoop, options: UnknownNameOptions): Promise<NextStepAnswer> {
  const what = options.callId === undefined ? 'agent' : 'tool';
  const known = options.knownNames.length === 0 ? 'none' : options.knownNames.join(', ');
  const reason = `${what} "${options.name}" is unknown to the workers of queue "${loop.taskQueue}"; known: ${known}. Deploy it, then resume`;
  const errorCode = options.callId === undefined ? 'UnknownAgent' : 'UnknownTool';
  const paused = await setLoopAtRest(trx, loop.id, { status: 'paused', by: 'solidloop', reason, errorCode, errorMessage: reason });
  await notifyControl(trx, loop.id);
  return answerAtRest(paused);
}
