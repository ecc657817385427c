/** Makes what the tables' ports throw tellable from a tool's failure: a database error is never one (R24). */

import { SolidLoopError, isSolidLoopError, messageOf } from '../domain/errors';
import type { ToolPorts } from './ports';

export function guardPorts<Answer>(ports: ToolPorts<Answer>): ToolPorts<Answer> {
  return {
    ...ports,
    checkpoint: (outcome) => asDatabaseError(() => ports.checkpoint(outcome)),
    respond: (response) => asDatabaseError(() => ports.respond(response)),
    settle: (outcome, response) => asDatabaseError(() => ports.settle(outcome, response)),
    settleUnknown: (reason) => asDatabaseError(() => ports.settleUnknown(reason)),
    fail: (failure) => asDatabaseError(() => ports.fail(failure)),
  };
}

async function asDatabaseError<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (isSolidLoopError(error)) throw error;
    throw new SolidLoopError('DatabaseUnavailable', `the tool call could not be written: ${messageOf(error)}`, { cause: error });
  }
}
