/** Control that came through Temporal: the same function as everywhere else; a refusal is an answer, never a throw (R69). */

import { controlLoop, type ControlInput as Request } from '../db/control/control-loop';
import { wakeControlled } from '../db/control/wake-controlled';
import { getLoop } from '../db/repositories/loops.repository';
import { insertEvent } from '../db/repositories/events.repository';
import { INPUT_LIMIT_BYTES } from '../domain/agent-loop-input';
import type { ControlAnswer } from '../domain/control';
import { isSolidLoopError, SolidLoopError } from '../domain/errors';
import type { LoopId } from '../domain/ids';
import { byteLength, invalidInput } from '../domain/input-checks';
import type { ActivityDependencies } from './dependencies';
import { reach } from './reach';
import { withMappedFailures } from './with-mapped-failures';

export interface ControlInput {
  readonly loopId: LoopId;
  /** As it was sent. */
  readonly request: unknown;
  /** Used where the request brings no key of its own. */
  readonly key: string;
  /** Of a request that was too large to be handed on: `request` is null then. */
  readonly leftOutChars?: number;
}

export const createControl = (deps: ActivityDependencies) =>
  withMappedFailures(async ({ loopId, request, key, leftOutChars }: ControlInput): Promise<ControlAnswer> => {
    await reach('control:before');
    try {
      assertSize(request, leftOutChars);
      const { answer, children } = await controlLoop(deps.db, loopId, { key, ...(request as Request) });
      await reach('control:after');
      // The workflow that asks wakes itself; its children are others (R78).
      for (const child of children) await wakeControlled(deps.temporal, child);
      return answer;
    } catch (error) {
      return refuse(deps, loopId, toRefusal(deps, loopId, error));
    }
  });

/** R9: what came through Temporal is in its history, and bounded there. */
function assertSize(request: unknown, leftOutChars: number | undefined): void {
  const bytes = leftOutChars ?? byteLength(JSON.stringify(request ?? null));
  if (bytes > INPUT_LIMIT_BYTES)
    throw invalidInput('request', `has ${bytes} bytes, and at most ${INPUT_LIMIT_BYTES} may be given this way; use this package's client`);
}

/**
 * Final for the request alone: a signal has nobody to throw to, and the loop goes on (R69).
 * @throws what comes again, or where there is no loop to tell
 */
function toRefusal({ logger }: ActivityDependencies, loopId: LoopId, error: unknown): SolidLoopError {
  if (isSolidLoopError(error, 'InvalidInput')) return error;
  if (isSolidLoopError(error)) throw error;
  logger.error({ loop: loopId, err: error }, 'a control request failed with an error that nobody expected');
  return new SolidLoopError('InternalError', 'the request could not be carried out; the worker’s log says why');
}

/** A request that is none, or failed: its refusal is an event with its reason. */
async function refuse(deps: ActivityDependencies, loopId: LoopId, error: SolidLoopError): Promise<ControlAnswer> {
  await insertEvent(deps.db, { loopId, kind: 'control', name: 'unreadable', error: error.message });
  const { status } = await getLoop(deps.db, loopId);
  return { ok: false, verb: 'unknown', status, code: error.code, message: error.message };
}
