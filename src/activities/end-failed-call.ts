/** What an attempt of a tool call that did not reach its answer writes (R24, R56-R58). */

import { CancelledFailure } from '@temporalio/common';
import { failToolCall, releaseToolCall } from '../db/tool-calls/fail-tool-call';
import type { ToolCallResponse } from '../db/tool-calls/respond-tool-call';
import { isSolidLoopError, messageOf } from '../domain/errors';
import type { Attempt } from './attempt';
import type { ActivityDependencies } from './dependencies';
import type { CallAtWork } from './call-at-work';
import { GIVEN_BACK, READS_AGAIN } from './failures';

export async function endFailedCall(
  deps: ActivityDependencies,
  attempt: Attempt,
  { claim, generation }: CallAtWork,
  { error, isBodyEntered }: { readonly error: unknown; readonly isBodyEntered: boolean },
): Promise<ToolCallResponse> {
  attempt.release();
  const held = { callId: claim.call.id, claimNumber: claim.claimNumber, generation };
  if (isSolidLoopError(error) && READS_AGAIN.has(error.code)) throw error;
  if (error instanceof CancelledFailure || (isSolidLoopError(error) && GIVEN_BACK.has(error.code))) {
    await releaseToolCall(deps.db, { ...held, wasEntered: isBodyEntered });
    throw error;
  }
  const code = isSolidLoopError(error) ? error.code : 'InternalError';
  deps.logger.error({ loop: claim.loop.id, call: claim.call.id, err: error }, 'a tool call failed with an error that nobody expected');
  return { ...(await failToolCall(deps.db, { ...held, errorCode: code, errorMessage: messageOf(error) })), kind: 'answered' };
}
