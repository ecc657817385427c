/** Control that came through Temporal: the same function as everywhere else; a refusal is an answer, never a throw (R69). */

import { controlLoop } from '../db/control/control-loop';
import { checkControlRequest } from '../domain/check-control-request';
import type { ControlAnswer } from '../domain/control';
import type { LoopId } from '../domain/ids';
import type { ActivityDependencies } from './dependencies';
import { withMappedFailures } from './with-mapped-failures';

export interface ControlInput {
  readonly loopId: LoopId;
  /** As it was sent: checked here. */
  readonly request: unknown;
  /** Used where the request brings no key of its own. */
  readonly key: string;
}

export const createControl = (deps: ActivityDependencies) =>
  withMappedFailures(async ({ loopId, request, key }: ControlInput): Promise<ControlAnswer> => {
    const { answer } = await controlLoop(deps.db, loopId, checkControlRequest(request, key));
    return answer;
  });
