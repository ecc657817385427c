/** What one claimed tool call is given: its checkpoint and response in the tables, the wire log, live text, the heartbeat. */

import { checkpointToolCall } from '../db/tool-calls/checkpoint-tool-call';
import { failToolCall } from '../db/tool-calls/fail-tool-call';
import { respondToolCall, settleToolCall, type ToolCallResponse } from '../db/tool-calls/respond-tool-call';
import { messageOf } from '../domain/errors';
import { UNKNOWN_OUTCOME_TEXT } from '../domain/tool-call';
import type { ToolOutcome, ToolPorts } from '../tools/ports';
import { askOutcome } from './ask-outcome';
import type { Attempt } from './attempt';
import type { ActivityDependencies } from './dependencies';
import type { CallAtWork } from './call-at-work';
import { startChildLoop } from './start-child-loop';
import { reach } from './reach';
import { untilDatabaseAnswers } from './until-database-answers';

/** A database that is away for longer ends the attempt. */
const CHILD_PATIENCE = { seconds: 30 };

/** `body.isEntered` is set directly before the body is: until then a release takes `started_at` back (R58). */
export function toolPorts(
  deps: ActivityDependencies,
  attempt: Attempt,
  work: CallAtWork,
  body: { isEntered: boolean },
): ToolPorts<ToolCallResponse> {
  const { claim, generation } = work;
  const { call, loop } = claim;
  const held = { callId: call.id, claimNumber: claim.claimNumber, generation };
  const checkpoint = (outcome: ToolOutcome) => checkpointToolCall(deps.db, { ...held, ...toCheckpoint(outcome) });
  return {
    settings: deps.settings,
    live: deps.liveSink({ loop, generation }),
    wire: deps.wire({ loopId: loop.id, toolCallId: call.id, ...(call.turnNumber === null ? {} : { turnNumber: call.turnNumber }) }),
    heartbeat: (progress) => attempt.heartbeat.report('running', progress),
    startLoop: (start) =>
      untilDatabaseAnswers(() => startChildLoop(deps, loop, start), { ...CHILD_PATIENCE, signal: attempt.guard.signal }),
    onBodyEntered: () => {
      body.isEntered = true;
      if (call.effect === 'unsafe') attempt.keepLeasePastEnd();
    },
    checkpoint: async (outcome) => {
      await reach('call:after-body');
      await checkpoint(outcome);
      await reach('call:after-checkpoint');
    },
    respond: async ({ content, metadata }) => {
      await reach('call:before-respond');
      attempt.endLease();
      return respondToolCall(deps.db, { ...held, content, metadata });
    },
    settle: async (outcome, { content, metadata }) => {
      await reach('call:after-body');
      attempt.endLease();
      return settleToolCall(deps.db, { ...held, ...toCheckpoint(outcome), content, metadata });
    },
    settleUnknown: async (reason) => {
      deps.logger.warn({ loop: loop.id, call: call.id, reason }, `an unsafe call passed its limit; ${UNKNOWN_OUTCOME_TEXT}`);
      return askOutcome(deps, attempt, work);
    },
    checkpointLate: async (outcome) => {
      await checkpoint(outcome).catch((error: unknown) =>
        deps.logger.error({ loop: loop.id, call: call.id, error: messageOf(error) }, 'what an unsafe body did could not be recorded'),
      );
      attempt.endLease();
    },
    onLateEndUnknown: () => attempt.endLease(),
    fail: async ({ code, message }) => {
      attempt.endLease();
      return { ...(await failToolCall(deps.db, { ...held, errorCode: code, errorMessage: message })), kind: 'answered' };
    },
    onErrorAfterResponse: (error) =>
      deps.logger.warn(
        { loop: loop.id, call: call.id, error: messageOf(error) },
        'a middleware threw after the response; it changes nothing',
      ),
    now: () => performance.now(),
  };
}

const toCheckpoint = ({ result, isSuccess, durationSeconds, errorMessage, stateChanges, metadata }: ToolOutcome) => ({
  outcome: { result, isSuccess, durationSeconds, metadata, ...(errorMessage === null ? {} : { errorMessage }) },
  stateChanges,
});
