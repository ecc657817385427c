/** Outermost: what an error that no value stands for means to the call and its loop (R46, R56, R57). */

import type { ToolMiddleware } from '../../agents/middleware';
import { isSolidLoopError, messageOf, type ErrorCode } from '../../domain/errors';
import type { ToolFailure } from '../ports';
import type { ToolRun } from '../tool-run';

/** These end the attempt and come again, or find the call answered; they are nobody's failure. */
const COMES_AGAIN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'LostLease',
  'WorkerShutdown',
  'DatabaseUnavailable',
  'TemporalUnavailable',
  'McpUnreachable',
  'ToolStillRunning',
  'UnknownAgent',
  'UnknownTool',
  'SchemaMismatch',
]);

export function errorHandling<Answer>(run: ToolRun<Answer>): ToolMiddleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      if (run.answer !== undefined) throw error;
      context.guard.signal.throwIfAborted();
      if (isSolidLoopError(error) && COMES_AGAIN.has(error.code)) throw error;
      run.answer = { value: await run.ports.fail(toFailure(error)) };
    }
  };
}

function toFailure(error: unknown): ToolFailure {
  const code = isSolidLoopError(error) && (error.code === 'ToolFailed' || error.code === 'ConfigError') ? error.code : 'InternalError';
  return { code, message: messageOf(error) };
}
