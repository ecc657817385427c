/** Control that came through Temporal: the same function as everywhere else; a refusal is an answer, never a throw (R69). */

import { controlLoop } from '../db/control/control-loop';
import { getLoop } from '../db/repositories/loops.repository';
import { insertEvent } from '../db/repositories/events.repository';
import type { ControlAnswer } from '../domain/control';
import { isSolidLoopError, SolidLoopError } from '../domain/errors';
import type { LoopId } from '../domain/ids';
import { parseControlRequest } from '../domain/parse-control-request';
import type { ActivityDependencies } from './dependencies';
import { withMappedFailures } from './with-mapped-failures';
import { reach } from './reach';

export interface ControlInput {
  readonly loopId: LoopId;
  /** As it was sent: checked here. */
  readonly request: unknown;
  /** Used where the request brings no key of its own. */
  readonly key: string;
}

export const createControl = (deps: ActivityDependencies) =>
  withMappedFailures(async ({ loopId, request, key }: ControlInput): Promise<ControlAnswer> => {
    await reach('control:before');
    try {
      const keyed = request !== null && typeof request === 'object' ? { key, ...request } : request;
      const { answer } = await controlLoop(deps.db, loopId, parseControlRequest(keyed));
      await reach('control:after');
      return answer;
    } catch (error) {
      if (!isSolidLoopError(error, 'InvalidInput')) throw error;
      return refuse(deps, loopId, error);
    }
  });

/** A request that cannot be read has no verb and no key: its refusal is an event with its reason. */
async function refuse(deps: ActivityDependencies, loopId: LoopId, error: SolidLoopError): Promise<ControlAnswer> {
  await insertEvent(deps.db, { loopId, kind: 'control', name: 'unreadable', error: error.message });
  const { status } = await getLoop(deps.db, loopId);
  return { ok: false, verb: 'unknown', status, code: error.code, message: error.message };
}
