/** The exactly-once checkpoint: that a body ran, and what came of it, is a fact whatever became of the generation (R54). */

import { sql } from 'kysely';
import { LostLease, messageOf, SolidLoopError } from '../../domain/errors';
import type { ClaimNumber, ToolCallId } from '../../domain/ids';
import type { JsonObject } from '../../domain/loop';
import { cleanText, cleanTextOrNull } from '../postgres/clean-text';
import type { Database, DatabaseTransaction } from '../database';
import { toJsonb } from '../postgres/jsonb';
import { type LockedPair, lockCall } from './lock-call';
import { insertEvent } from '../repositories/events.repository';
import { mayCheckpoint } from './tool-call-fence';
import { inTransaction } from '../transaction';

/** What a body came to. Seconds. */
export interface ToolOutcome {
  /** The text for the model. */
  readonly result: string;
  readonly isSuccess: boolean;
  readonly errorMessage?: string;
  readonly durationSeconds: number;
  /** Merged over the call's own. @default {} */
  readonly metadata?: JsonObject;
}

/** A part of the state that replaces its top-level keys, or a function from the state as it is at the checkpoint (R76). */
export type StateChange = JsonObject | ((current: JsonObject) => JsonObject);

export interface CheckpointOptions {
  readonly callId: ToolCallId;
  /** That of the claim that entered the body, or asked for its outcome. */
  readonly claimNumber: ClaimNumber;
  readonly outcome: ToolOutcome;
  /** In the order in which the body asked for them. @default none */
  readonly stateChanges?: readonly StateChange[];
}

export interface Checkpoint {
  /** Its tool message was written before: the fact is kept, and an event says so. */
  readonly isLate: boolean;
}

/**
 * Needs no generation; where the loop went on without the body, the lease that it kept is cleared. A repeat by the same claim changes nothing.
 * @throws LostLease where another claim holds the call; LoopNotFound, DatabaseUnavailable
 */
export function checkpointToolCall(db: Database, options: CheckpointOptions): Promise<Checkpoint> {
  return inTransaction(db, async (trx) => writeCheckpoint(trx, await lockCall(trx, options.callId), options));
}

/** Under the locks of loop and call. @throws LostLease */
export async function writeCheckpoint(
  trx: DatabaseTransaction,
  { locked, lockedCall }: LockedPair,
  options: CheckpointOptions,
): Promise<Checkpoint> {
  const { callId, outcome } = options;
  if (!mayCheckpoint(lockedCall, options.claimNumber)) throw new LostLease(`tool call ${callId}`);
  const isLate = lockedCall.isAnswered;
  if (lockedCall.call.isExecuted) return { isLate };
  await sql`
    update solid_loop.tool_calls
    set executed_at = clock_timestamp(),
      is_success = ${outcome.isSuccess},
      result = ${cleanText(outcome.result)},
      error_message = ${cleanTextOrNull(outcome.errorMessage)},
      duration = ${outcome.durationSeconds},
      metadata = metadata || ${toJsonb(outcome.metadata ?? {})},
      lease_expires_at = case when generation = ${locked.facts.generation} and ${locked.facts.status === 'running'} then lease_expires_at end,
      updated_at = clock_timestamp()
    where id = ${callId}`.execute(trx);
  await mergeState(trx, { locked, lockedCall }, options.stateChanges ?? []);
  if (isLate)
    await insertCallEvent(
      trx,
      { locked, lockedCall },
      'CheckpointAfterAnswer',
      'the body ended after the model was told that the outcome is unknown',
    );
  return { isLate };
}

/** A function that throws loses its own change, never the checkpoint: the body did run. */
async function mergeState(trx: DatabaseTransaction, pair: LockedPair, changes: readonly StateChange[]): Promise<void> {
  if (changes.length === 0) return;
  let state = pair.locked.loop.state;
  for (const change of changes) {
    try {
      state = { ...state, ...resolveChange(change, state) };
    } catch (error) {
      await insertCallEvent(trx, pair, 'StateChangeFailed', messageOf(error));
    }
  }
  await trx
    .updateTable('loops')
    .set({ state: toJsonb(state) })
    .where('id', '=', pair.locked.loop.id)
    .execute();
}

/** What the user's function gives is foreign: a promise or an array would be spread without a word. */
function resolveChange(change: StateChange, state: JsonObject): JsonObject {
  const keys: unknown = typeof change === 'function' ? change(state) : change;
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys) || keys instanceof Promise) {
    throw new SolidLoopError('InvalidInput', 'setState takes a plain object, or a function that gives one at once');
  }
  return keys as JsonObject;
}

async function insertCallEvent(trx: DatabaseTransaction, { locked, lockedCall }: LockedPair, kind: string, error: string): Promise<void> {
  const { id, name, turnNumber } = lockedCall.call;
  await insertEvent(trx, { loopId: locked.loop.id, toolCallId: id, kind, name, error, ...(turnNumber === null ? {} : { turnNumber }) });
}
