/** What can be read of a control request, whole or not: a refusal is stored under the key too, where there is one (R74). */

import type { ControlVerb, KeyedControlRequest } from '../../domain/control';
import { isSolidLoopError } from '../../domain/errors';
import { checkKey } from '../../domain/input-checks';
import { parseControlRequest, parseVerb } from '../../domain/parse-control-request';
import type { ControlInput } from './control-loop';

export type ReadInput = {
  /** Undefined: none that can be stored. The refusal is an event only then. */
  readonly key: string | undefined;
} & (
  | { readonly verb: ControlVerb; readonly request: KeyedControlRequest }
  | { readonly verb: ControlVerb | 'unknown'; readonly problem: string }
);

export function readControlInput(input: ControlInput): ReadInput {
  const key = valueOrProblem(() => checkKey(input.key));
  const verb = valueOrProblem(() => parseVerb(input));
  const request = valueOrProblem(() => parseControlRequest(input));
  const known = 'value' in key ? { key: key.value } : { key: undefined };
  if ('value' in request) return { ...known, verb: request.value.verb, request: request.value };
  return { ...known, verb: 'value' in verb ? verb.value : 'unknown', problem: request.problem };
}

function valueOrProblem<Value>(read: () => Value): { readonly value: Value } | { readonly problem: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (isSolidLoopError(error, 'InvalidInput')) return { problem: error.message };
    throw error;
  }
}
