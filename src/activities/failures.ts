/** The one mapper from errors to Temporal's failures: a code, ids and fixed words; texts stay in the rows (R9, R28, R46). */

import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Generation } from '../domain/ids';
import { type ErrorCode, isSolidLoopError, SolidLoopError } from '../domain/errors';

interface FailureRule {
  readonly isRetryable: boolean;
  readonly words: string;
  /** The error's own sentence holds names and ids only, and the starter must see it (R27). */
  readonly tellsSentence?: true;
}

const final = (words: string): FailureRule => ({ isRetryable: false, words });
const told = (words: string): FailureRule => ({ isRetryable: false, words, tellsSentence: true });
const retryable = (words: string): FailureRule => ({ isRetryable: true, words });

/** What each code means to Temporal. Words are fixed: no value of a user, a model or a tool is in them. */
export const FAILURE_RULES: Readonly<Record<ErrorCode, FailureRule>> = {
  LostLease: retryable('a later attempt holds the step, or it was paused, stopped or ended'),
  WorkerShutdown: retryable('the worker is shutting down'),
  DatabaseUnavailable: retryable('the database did not answer'),
  ProviderRetryable: retryable('the model provider failed in a way that may pass'),
  ToolStillRunning: retryable('an earlier attempt of the call may still be running'),
  McpUnreachable: retryable('an MCP server could not be reached'),
  TemporalUnavailable: retryable('Temporal did not answer'),
  UnknownAgent: retryable('this worker does not know the agent'),
  UnknownTool: retryable('this worker does not know the tool'),
  SchemaMismatch: retryable('the tables have another version than this worker'),
  ProviderFinal: final('the model provider refused'),
  ContextLimit: final('the context is full'),
  LimitExceededError: final('a limit of the loop was reached'),
  TurnKeepsDying: final('attempts of the turn keep dying'),
  ToolKeepsDying: final('attempts of the tool call keep dying'),
  ToolFailed: final('a tool failed'),
  InvalidState: final('the rows of the loop contradict each other'),
  StartRefused: told('the start was refused'),
  LoopExists: told('the workflow id belongs to a loop that was started with another key: reopen it, or choose another id'),
  LoopNotFound: told('no such loop'),
  LoopFailed: final('the loop failed'),
  LoopFrozen: final('the loop is frozen'),
  LoopTerminal: final('the loop has ended'),
  LoopNotTerminal: final('the loop has not ended'),
  NothingToRetry: final('there is nothing to retry'),
  SteeringError: final('the message cannot be taken or changed'),
  InvalidInput: final('the input is not valid'),
  ConfigError: final('the configuration is not valid'),
  InternalError: final('an error that nobody expected; the loop’s row and the worker’s log have its text'),
};

/** The attempt ends and comes again, and nothing failed: what it held is given back where its fences still hold (R46, R58). */
export const GIVEN_BACK: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'WorkerShutdown',
  'UnknownTool',
  'UnknownAgent',
  'McpUnreachable',
  'TemporalUnavailable',
]);

/** Nothing is written: the next attempt reads what happened (R24). */
export const READS_AGAIN: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['DatabaseUnavailable', 'SchemaMismatch', 'LostLease']);

const SOON_MS = 50;
const COMES_AGAIN_SOON: readonly ErrorCode[] = ['LostLease', 'WorkerShutdown'];

export interface FailureContext {
  /** Temporal's number of this attempt: no fence, only a reason to wait longer. */
  readonly attempt: number;
  /** What the step had claimed, for `closeLoop` (R27). */
  readonly generation?: Generation;
}

/** Anything thrown, as what Temporal is told. A cancellation of Temporal's passes through untouched. */
export function toFailure(error: unknown, context: FailureContext): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  const known = isSolidLoopError(error) ? error : new SolidLoopError('InternalError', 'internal', { cause: error });
  const rule = FAILURE_RULES[known.code];
  const delay = delayOf(known, context.attempt);
  return ApplicationFailure.create({
    type: known.code,
    message: rule.tellsSentence === true ? known.message : rule.words,
    nonRetryable: !rule.isRetryable,
    details: [
      {
        ...(context.generation === undefined ? {} : { generation: context.generation }),
        ...(known.field === undefined ? {} : { field: known.field }),
      },
    ],
    ...(delay === undefined ? {} : { nextRetryDelay: delay }),
  });
}

/** R46: a lost lease or a shutdown comes again after milliseconds, from the second in a row with Temporal's back-off. */
function delayOf(error: SolidLoopError, attempt: number): number | undefined {
  if (error.retryAfterMs !== undefined) return Math.max(1, Math.ceil(error.retryAfterMs));
  return COMES_AGAIN_SOON.includes(error.code) && attempt <= 1 ? SOON_MS : undefined;
}
