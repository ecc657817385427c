/** Innermost: writes the call's one tool message, unless it was written with the checkpoint (R55). */

import type { ToolMiddleware } from '../../agents/middleware';
import { SolidLoopError } from '../../domain/errors';
import { toOutcome, toResponse } from '../keep-outcome';
import type { ToolRun } from '../tool-run';

export function responseCreation<Answer>(run: ToolRun<Answer>): ToolMiddleware {
  return async (context, next) => {
    if (run.answer === undefined) {
      const { result, isSuccess = false, duration = 0 } = context;
      if (result === undefined) {
        throw new SolidLoopError(
          'ConfigError',
          `the call of "${context.call.name}" has no result: tool-execution was removed or replaced, and nothing set one`,
        );
      }
      const end = { result, isSuccess, durationSeconds: duration };
      const response = toResponse(context, run, end);
      // A stack without the default execution has kept nothing yet: both are written here.
      const write = run.isCheckpointed
        ? run.ports.respond(response)
        : run.ports.settle(toOutcome(run, { ...end, errorMessage: null }), response);
      run.answer = { value: await write };
    }
    await next();
  };
}
