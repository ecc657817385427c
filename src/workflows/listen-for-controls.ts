/** Sets the handlers of a loop's messages: before the first await; a signal's handler never throws (R69). */

import { ApplicationFailure, CancellationScope, setHandler, uuid4 } from '@temporalio/workflow';
import { INPUT_LIMIT_BYTES } from '../domain/agent-loop-input';
import type { ControlInput } from '../activities/control';
import { CONTROL_VERBS, type ControlAnswer } from '../domain/control';
import { tables } from './activity-proxies';
import { controlUpdate, statusQuery, verbSignals, wakeSignal } from './controls';
import type { LoopRun } from './loop-run';

export function listenForControls(run: LoopRun): void {
  setHandler(wakeSignal, () => run.wake(), { description: 'Something is new in the tables: read them again' });
  setHandler(statusQuery, () => run.viewer.current, { description: 'The loop as of the last step' });
  for (const verb of CONTROL_VERBS) {
    // What fails for good is in the worker's log: thrown, it would end the workflow of a loop that goes on.
    setHandler(verbSignals[verb], async (payload) => void (await control(run, withVerb(payload, verb)).catch(() => undefined)), {
      description: `Control: ${verb}. A refusal is an event of the loop`,
    });
  }
  setHandler(
    controlUpdate,
    async (request) => {
      const answer = await control(run, request);
      if (!answer.ok) throw ApplicationFailure.nonRetryable(answer.message, answer.code, { verb: answer.verb, status: answer.status });
      return answer;
    },
    { description: 'Any verb of control, with an answer: { verb, …fields, key?, by? }' },
  );
}

/**
 * Without a key of its sender each delivery is a new request; the key made here is the same on each retry and replay (R74).
 * A run that Temporal has cancelled takes requests until it ends.
 */
function control(run: LoopRun, request: unknown): Promise<ControlAnswer> {
  const key = uuid4();
  return CancellationScope.nonCancellable(async () => {
    await run.untilOpen();
    try {
      return await tables.control({ loopId: run.loopId, key, ...handedOn(request) });
    } finally {
      run.wake();
    }
  });
}

/** Temporal takes a signal that an activity's input would be too large for: only its size goes on, and is refused (R9). */
function handedOn(request: unknown): Pick<ControlInput, 'request' | 'leftOutChars'> {
  const chars = JSON.stringify(request ?? null).length;
  return chars > INPUT_LIMIT_BYTES ? { request: null, leftOutChars: chars } : { request };
}

/** A bare string is the message of `steer` and `reopen`, and the reason of the others. */
function withVerb(payload: unknown, verb: string): unknown {
  if (typeof payload === 'string') return verb === 'steer' || verb === 'reopen' ? { verb, message: payload } : { verb, reason: payload };
  return payload === null || typeof payload !== 'object' || Array.isArray(payload) ? { verb } : { ...payload, verb };
}
