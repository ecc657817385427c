/** Control that came through Temporal: the same function as everywhere else; a refusal is an answer, never a throw (R69). */

import { controlLoop, type ControlInput as Request } from '../db/control/control-loop';
import { wakeControlled } from '../db/control/wake-controlled';
import { getLoop } from '../db/repositories/loops.repository';
import { insertEvent } from '../db/repositories/events.repository';
import type { ControlAnswer } from '../domain/control';
import { isSolidLoopError, type SolidLoopError } from '../domain/errors';
import type { LoopId } from '../domain/ids';
import type { ActivityDependencies } from './dependencies';
import { reach } from './reach';
import { withMappedFailures } from './with-mapped-failures';

export interface ControlInput {
  readonly loopId: LoopId;
  /** As it was sent. */
  readonly request: unknown;
  /** Used where the request brings no key of its own. */
  readonly key: string;
}

export const createControl = (deps: ActivityDependencies) =>
  withMappedFailures(async ({ loopId, request, key }: ControlInput): Promise<ControlAnswer> => {
    await reach('control:before');
    try {
      const { answer, children } = await controlLoop(deps.db, loopId, { key, ...(request as Request) });
      await reach('control:after');
      // The workflow that asks wakes itself; its children are others (R78).
      for (const child of children) await wakeControlled(deps.temporal, child);
      return answer;
    } catch (error) {
      if (!isSolidLoopError(error, 'InvalidInput')) throw error;
      return refuse(deps, loopId, error);
    }
  });

/** A request that names no verb: its refusal is an event with its reason. */
async function refuse(deps: ActivityDependencies, loopId: LoopId, error: SolidLoopError): Promise<ControlAnswer> {
  await insertEvent(deps.db, { loopId, kind: 'control', name: 'unreadable', error: error.message });
  const { status } = await getLoop(deps.db, loopId);
  return { ok: false, verb: 'unknown', status, code: error.code, message: error.message };
}
