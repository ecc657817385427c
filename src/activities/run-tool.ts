/** One tool call: claim, execute, checkpoint, respond. */

import { claimToolCall, type ToolCallClaim } from '../db/tool-calls/claim-tool-call';
import type { ToolCallResponse } from '../db/tool-calls/respond-tool-call';
import type { Generation, LoopId, ToolCallId } from '../domain/ids';
import { toolLeaseSeconds } from '../domain/lease';
import type { SettledCall } from '../domain/planned-step';
import { withToolSpan } from '../metrics/spans';
import { findTool } from '../tools/find-tool';
import { runToolStack } from '../tools/run-tool-stack';
import { type Attempt, withAttempt } from './attempt';
import { askOutcome } from './ask-outcome';
import type { CallAtWork, ClaimedCall } from './call-at-work';
import type { ActivityDependencies } from './dependencies';
import { endFailedCall } from './end-failed-call';
import { planStep } from './plan-step';
import { giveUpOn, resolveAgent } from './resolve-agent';
import { runMessageHooks } from './run-message-hooks';
import { toolPorts } from './tool-ports';
import { reach } from './reach';

export interface RunToolInput {
  readonly loopId: LoopId;
  /** Its name. */
  readonly agent: string;
  readonly turnNumber: number;
  readonly callId: ToolCallId;
  /** Its tool's. */
  readonly name: string;
  /** Of the answer that asked for this step. */
  readonly generation: Generation;
}

export const createRunTool = (deps: ActivityDependencies) => (input: RunToolInput) =>
  withAttempt(deps.renewer, (attempt) => runTool(deps, attempt, input));

async function runTool(deps: ActivityDependencies, attempt: Attempt, input: RunToolInput): Promise<SettledCall> {
  const { loopId, turnNumber, agent: agentName } = input;
  const agent = await resolveAgent(deps, { loopId, turnNumber, name: agentName });
  if (agent.kind === 'ended') return { kind: 'superseded' };

  const tool = findTool(agent.value, input.name);
  const claim = await claimCall(deps, attempt, { ...input, agent: agent.value, tool });
  if (claim.kind !== 'claimed') return toSettled(deps, claim);
  attempt.hold({ claimNumber: claim.claimNumber }, input.generation);
  if (claim.isTakeover) deps.metrics.tookOver('tool');

  await reach('call:after-claim');
  const work = { agent: agent.value, tool, claim, generation: input.generation };
  const response = await withToolSpan({ loop: claim.loop, name: claim.call.name, callId: claim.call.id }, () =>
    runClaimedCall(deps, attempt, work),
  );
  await reach('call:after-respond');
  if (response.kind === 'answered') await runMessageHooks(deps, agent.value, response.loop);
  await reach('call:after-hooks');
  return toSettled(deps, response);
}

async function claimCall(
  deps: ActivityDependencies,
  attempt: Attempt,
  { loopId, callId, generation, agent, tool }: Omit<RunToolInput, 'agent'> & Pick<CallAtWork, 'agent' | 'tool'>,
): Promise<ToolCallClaim> {
  const { settings } = deps;
  const leaseSeconds = toolLeaseSeconds(
    (agent.mcp ?? []).filter((server) => server.url !== undefined),
    settings,
  );
  attempt.heartbeat.report('claiming');
  await reach('call:before-claim');
  attempt.register({
    kind: 'call',
    loopId,
    callId,
    generation,
    leaseSeconds,
    limitSeconds: tool?.timeoutSeconds ?? settings.defaultToolTimeout,
  });
  return claimToolCall(deps.db, {
    callId,
    generation,
    attemptScheduledMs: attempt.scheduledMs,
    leaseSeconds,
    holderPatienceSeconds: settings.unsafeHolderPatience,
    lostAttemptsPerStep: settings.lostAttemptsPerStep,
    isSequential: agent.toolCalls === 'sequential',
  });
}

async function runClaimedCall(deps: ActivityDependencies, attempt: Attempt, work: CallAtWork): Promise<ToolCallResponse> {
  const { agent, tool, claim, generation } = work;
  const body = { isEntered: false };
  const leave = deps.eventLoop.enter({ loopId: claim.loop.id, callId: claim.call.id, name: claim.call.name });
  try {
    if (claim.mode === 'ask-outcome') return await askOutcome(deps, attempt, work);
    if (tool === undefined && claim.mode === 'run') return await waitForTool(deps, work);
    attempt.heartbeat.report('running');
    await reach('call:before-body');
    return await runToolStack({
      claimed: {
        loop: claim.loop,
        agent,
        generation,
        claimNumber: claim.claimNumber,
        guard: attempt.guard,
        tool,
        call: claim.call,
        ...(claim.call.isExecuted ? { executed: executedOutcome(claim.call) } : {}),
      },
      ports: toolPorts(deps, attempt, work, body),
      ...(deps.config.middleware?.tools === undefined ? {} : { adjust: deps.config.middleware.tools }),
    });
  } catch (error) {
    return endFailedCall(deps, attempt, work, { error, isBodyEntered: body.isEntered });
  } finally {
    leave();
  }
}

const executedOutcome = ({ result, isSuccess, duration, metadata }: ClaimedCall['call']) => ({
  result: result ?? '',
  isSuccess: isSuccess ?? false,
  durationSeconds: duration ?? 0,
  metadata,
});

/** @throws UnknownTool, retryable, until the patience is over (R46) */
async function waitForTool(
  deps: ActivityDependencies,
  { agent, claim: { loop, call, claimNumber } }: CallAtWork,
): Promise<ToolCallResponse> {
  await giveUpOn(deps, {
    loopId: loop.id,
    turnNumber: loop.turnNumber,
    callId: call.id,
    claimNumber,
    name: call.name,
    knownNames: (agent.tools ?? []).map(({ name }) => name),
  });
  return { kind: 'superseded' };
}

function toSettled(deps: ActivityDependencies, answer: ToolCallResponse | Exclude<ToolCallClaim, ClaimedCall>): SettledCall {
  if (answer.kind === 'superseded') return { kind: 'superseded' };
  const { loop, next, pausedBy } = answer;
  return next === undefined ? { kind: 'answered' } : { kind: 'answered', next: planStep(deps, { loop, next, pausedBy }) };
}
