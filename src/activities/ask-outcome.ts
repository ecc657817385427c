/** An unsafe call that started and left no checkpoint: its tool may say that it happened; everything else is unknown (R75). */

import { runHook } from '../agents/run-hook';
import type { ReconcileAnswer } from '../agents/tool';
import { respondToolCall, settleToolCall, type ToolCallResponse } from '../db/tool-calls/respond-tool-call';
import { idempotencyKeyOf, UNKNOWN_OUTCOME_TEXT } from '../domain/tool-call';
import { toResultText } from '../tools/result-text';
import type { Attempt } from './attempt';
import type { ActivityDependencies } from './dependencies';
import type { CallAtWork } from './call-at-work';

/** "Not found" is no permission to run it again: a stalled attempt may still act. */
export async function askOutcome(deps: ActivityDependencies, attempt: Attempt, work: CallAtWork): Promise<ToolCallResponse> {
  const { claim, generation } = work;
  const held = { callId: claim.call.id, claimNumber: claim.claimNumber, generation };
  attempt.heartbeat.report('asking for the outcome');
  const answer = await reconcile(deps, attempt, work);
  attempt.release();
  if (answer?.happened !== true)
    return respondToolCall(deps.db, { ...held, content: UNKNOWN_OUTCOME_TEXT, metadata: { outcome: 'unknown' } });
  const content = toResultText(answer.result).text;
  return settleToolCall(deps.db, {
    ...held,
    content,
    metadata: { outcome: 'reconciled' },
    outcome: { result: content, isSuccess: true, durationSeconds: 0 },
  });
}

/** Undefined where the tool cannot say: it has no `reconcile`, or that failed or took too long. */
async function reconcile(
  deps: ActivityDependencies,
  attempt: Attempt,
  { tool, claim: { call, loop } }: CallAtWork,
): Promise<ReconcileAnswer | undefined> {
  const ask = tool?.reconcile;
  if (ask === undefined) return undefined;
  let answer: ReconcileAnswer | undefined;
  const outcome = await runHook(async () => {
    answer = await ask({ idempotencyKey: idempotencyKeyOf(call.key), input: call.arguments, loop, signal: attempt.guard.signal });
  }, deps.settings.hookTimeout);
  attempt.guard.assertHeld();
  if (outcome.kind !== 'done')
    deps.logger.warn({ loop: loop.id, call: call.id, error: outcome.message }, 'a tool could not say whether its call happened');
  return outcome.kind === 'done' ? answer : undefined;
}
