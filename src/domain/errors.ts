/** The named errors of this package. Each has a code that may cross into Temporal; the text of a message may not (R9). */

export const ERROR_CODES = [
  'LostLease',
  'WorkerShutdown',
  'DatabaseUnavailable',
  'ProviderRetryable',
  'ProviderFinal',
  'ContextLimit',
  'LimitExceededError',
  'TurnKeepsDying',
  'ToolKeepsDying',
  'UnknownAgent',
  'UnknownTool',
  'ToolFailed',
  'ToolStillRunning',
  'McpUnreachable',
  'InvalidState',
  'StartRefused',
  'LoopExists',
  'LoopNotFound',
  'LoopFailed',
  'LoopFrozen',
  'LoopTerminal',
  'LoopNotTerminal',
  'NothingToRetry',
  'SteeringError',
  'InvalidInput',
  'ConfigError',
  'SchemaMismatch',
  'TemporalUnavailable',
  'InternalError',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorOptions {
  readonly cause?: unknown;
  /** Where the fault is: the field of an input, the setting, the row. Ids and names only. */
  readonly field?: string;
  /** When to try again, for a retryable error whose time is known. Milliseconds. */
  readonly retryAfterMs?: number;
}

/** What every error of this package is: a code, a sentence (what happened, to which value, what to do), a cause. */
export class SolidLoopError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = code;
    this.code = code;
    this.field = options.field;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The attempt does not hold its fences any more: it writes nothing and ends retryably (R17). */
export class LostLease extends SolidLoopError {
  constructor(what: string, options: ErrorOptions = {}) {
    super('LostLease', `${what} is held by a later attempt, or was paused, stopped or ended`, options);
  }
}

/** The worker shuts down: the attempt hands over and comes again elsewhere (R46). */
export class WorkerShutdown extends SolidLoopError {
  constructor(options: ErrorOptions = {}) {
    super('WorkerShutdown', 'the worker is shutting down; the step comes again on another one', options);
  }
}

export const isSolidLoopError = (error: unknown, code?: ErrorCode): error is SolidLoopError =>
  error instanceof SolidLoopError && (code === undefined || error.code === code);

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  // Not by class: errors also come from other realms.
  const message: unknown = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  try {
    return String(message);
  } catch {
    // Anything can be thrown, also what has no text.
    return Object.prototype.toString.call(message);
  }
}
