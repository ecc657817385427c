/** Tells the errors that are nobody's failure: the attempt ends with them untouched, and the next one reads what happened (R24, R46). */

import { isSolidLoopError, messageOf, type ErrorCode } from '../../domain/errors';
import { causesOf } from './network-cause';

/** Ends of an attempt that the tables or another worker will settle. */
const PASSING_CODES: readonly ErrorCode[] = [
  'LostLease',
  'WorkerShutdown',
  'DatabaseUnavailable',
  'SchemaMismatch',
  'TemporalUnavailable',
  'ProviderRetryable',
  'McpUnreachable',
  'UnknownAgent',
  'UnknownTool',
];

const SQLSTATE = /^[0-9A-Z]{5}$/;
const DATABASE_PHRASE =
  /^(connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|query read timeout)/i;

export function passesThrough(error: unknown): boolean {
  if (isSolidLoopError(error)) return PASSING_CODES.includes(error.code);
  return isNamed(error, 'CancelledFailure') || [...causesOf(error)].some(isDatabaseError);
}

function isDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  return (typeof code === 'string' && SQLSTATE.test(code) && typeof severity === 'string') || DATABASE_PHRASE.test(messageOf(error));
}

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;
