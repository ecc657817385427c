/** Sets the handlers of a loop's messages: before the first await; a signal's handler never throws (R69). */

import { setHandler, uuid4, ApplicationFailure } from '@temporalio/workflow';
import { CONTROL_VERBS, type ControlAnswer } from '../domain/control';
import { tables } from './activity-proxies';
import { controlUpdate, statusQuery, verbSignals, wakeSignal } from './controls';
import type { LoopRun } from './loop-run';

export function listenForControls(run: LoopRun): void {
  setHandler(wakeSignal, () => run.wake(), { description: 'Something is new in the tables: read them again' });
  setHandler(statusQuery, () => run.viewer.current, { description: 'The loop as of the last step' });
  for (const verb of CONTROL_VERBS) {
    setHandler(verbSignals[verb], async (payload) => void (await control(run, withVerb(payload, verb))), {
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

/** Without a key of its sender each delivery is a new request; the key made here is the same on each retry and replay (R74). */
async function control(run: LoopRun, request: unknown): Promise<ControlAnswer> {
  const key = uuid4();
  await run.untilOpen();
  const answer = await tables.control({ loopId: run.loopId, request, key });
  run.wake();
  return answer;
}

/** A bare string is the message of `steer` and `reopen`, and the reason of the others. */
function withVerb(payload: unknown, verb: string): unknown {
  if (typeof payload === 'string') return verb === 'steer' || verb === 'reopen' ? { verb, message: payload } : { verb, reason: payload };
  return payload === null || typeof payload !== 'object' || Array.isArray(payload) ? { verb } : { ...payload, verb };
}
