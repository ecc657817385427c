/** The strict check of a workflow's argument: a start by content, or by the loop's id alone. */

import { type AgentLoopInput, INPUT_LIMIT_BYTES } from './agent-loop-input';
import { checkStartInput } from './check-start-input';
import { isSolidLoopError, SolidLoopError } from './errors';
import { isRowId } from './ids';

/** @throws StartRefused with the field: what Temporal's starter sees */
export function checkAgentLoopInput(value: unknown): AgentLoopInput {
  if (value === undefined || value === null || typeof value !== 'object') {
    throw new SolidLoopError('StartRefused', 'the workflow takes one argument: { agent, message, … } or { loopId }', { field: 'input' });
  }
  if ('loopId' in value) return checkOpenInput(value);
  try {
    return checkStartInput(value, { limitBytes: INPUT_LIMIT_BYTES });
  } catch (error) {
    if (!isSolidLoopError(error)) throw error;
    throw new SolidLoopError('StartRefused', error.message, { cause: error, ...(error.field === undefined ? {} : { field: error.field }) });
  }
}

function checkOpenInput(value: { readonly loopId?: unknown }): AgentLoopInput {
  const others = Object.keys(value).filter((field) => field !== 'loopId');
  if (others.length > 0)
    throw new SolidLoopError('StartRefused', `beside loopId nothing may be given; got: ${others.join(', ')}`, {
      field: others[0] ?? 'input',
    });
  if (!isRowId(value.loopId))
    throw new SolidLoopError('StartRefused', 'loopId must be a loop’s id as a string of digits', { field: 'loopId' });
  return { loopId: value.loopId };
}
