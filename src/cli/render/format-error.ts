/** An error as one sentence for a person, and the exit code that says its kind. */

import { type ErrorCode, isSolidLoopError, messageOf } from '../../domain/errors';
import type { Paint } from './paint';
import { printable } from './text';

/** A loop's own end is 0, 1 or 2; the rest follows sysexits.h. */
export const EXIT = {
  completed: 0,
  failed: 1,
  cancelled: 2,
  /** Asked for a result that is not there yet. */
  pending: 3,
  usage: 64,
  refused: 65,
  notFound: 66,
  unavailable: 69,
  internal: 70,
  config: 78,
  interrupted: 130,
} as const;

const EXIT_OF_CODE: Partial<Readonly<Record<ErrorCode, number>>> = {
  InvalidInput: EXIT.usage,
  StartRefused: EXIT.usage,
  LoopNotFound: EXIT.notFound,
  LoopExists: EXIT.refused,
  LoopFrozen: EXIT.refused,
  LoopTerminal: EXIT.refused,
  LoopNotTerminal: EXIT.refused,
  NothingToRetry: EXIT.refused,
  SteeringError: EXIT.refused,
  InvalidState: EXIT.refused,
  DatabaseUnavailable: EXIT.unavailable,
  TemporalUnavailable: EXIT.unavailable,
  ConfigError: EXIT.config,
  SchemaMismatch: EXIT.config,
  UnknownAgent: EXIT.config,
};

/** Any error that this package names has its own code; anything else is a fault of the program. */
export function exitCodeOf(error: unknown): number {
  return isSolidLoopError(error) ? (EXIT_OF_CODE[error.code] ?? EXIT.internal) : EXIT.internal;
}

/** `isDebug`: with the stack and the causes. */
export function formatError(error: unknown, paint: Paint, isDebug: boolean): string {
  const mark = paint.red('✗');
  if (isDebug) return `${mark} ${printable(stackOf(error))}`;
  const sentence = printable(messageOf(error));
  return isSolidLoopError(error)
    ? `${mark} ${sentence}`
    : `${mark} ${sentence}\n${paint.dim('  this was not expected; --debug shows where it came from')}`;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by ${stackOf(error.cause)}`;
}
