/** One LLM turn: claim, load, call, parse, commit. */

import { claimTurn } from '../db/claim-turn';
import { commitTurn } from '../db/commit-turn';
import { failTurn } from '../db/end-turn';
import { loadTurn } from '../db/load-turn';
import { SolidLoopError } from '../domain/errors';
import type { LoopId } from '../domain/ids';
import { turnLeaseSeconds } from '../domain/lease';
import type { PlannedStep } from '../domain/planned-step';
import { priceIsKnown } from '../llm/pricing/price-of';
import { runLlmTurn } from '../llm/run-llm-turn';
import { type Attempt, withAttempt } from './attempt';
import type { ActivityDependencies } from './dependencies';
import { endFailedTurn } from './end-failed-turn';
import { planStep } from './plan-step';
import { runMessageHooks } from './run-message-hooks';
import { resolveAgent, type ResolvedAgent } from './resolve-agent';
import { turnPorts } from './turn-ports';

export interface RunTurnInput {
  readonly loopId: LoopId;
  readonly turnNumber: number;
}

export const createRunTurn = (deps: ActivityDependencies) => (input: RunTurnInput) => withAttempt(deps.renewer, (attempt) => runTurn(deps, attempt, input));

async function runTurn(deps: ActivityDependencies, attempt: Attempt, { loopId, turnNumber }: RunTurnInput): Promise<PlannedStep> {
  const resolved = await resolveAgent(deps, loopId);
  if (resolved.kind === 'ended') return planStep(deps, resolved.loop, resolved.next);

  const claim = await claimDueTurn(deps, attempt, resolved, turnNumber);
  if (claim.kind === 'answered') return planStep(deps, claim.loop, claim.next);
  const { generation, shellId } = claim;
  const turn = { loopId, turnNumber, generation };

  try {
    attempt.heartbeat.report('loading');
    const { loop, transcript } = await loadTurn(deps.db, turn);
    attempt.guard.assertHeld();

    const ports = turnPorts(deps, attempt, { loop, generation, turnNumber, shellId });
    const outcome = await runLlmTurn({ loop, agent: resolved.agent, model: resolved.model, turnNumber, generation, transcript, guard: attempt.guard }, ports);

    attempt.heartbeat.report('committing');
    attempt.release();
    if (outcome.kind !== 'answer') {
      const failed = await failTurn(deps.db, { ...turn, failure: outcome });
      return planStep(deps, failed.loop, failed.next);
    }
    const commit = await commitTurn(deps.db, { ...turn, answer: outcome.answer });
    if (commit.kind === 'committed') await runMessageHooks(deps, resolved.agent, commit.loop);
    return planStep(deps, commit.loop, commit.next);
  } catch (error) {
    return endFailedTurn(deps, attempt, turn, error);
  }
}

async function claimDueTurn(deps: ActivityDependencies, attempt: Attempt, { loop, agent, model }: Extract<ResolvedAgent, { kind: 'resolved' }>, turnNumber: number) {
  const limitSeconds = agent.turnTimeoutSeconds ?? deps.settings.defaultMaxDuration;
  const leaseSeconds = turnLeaseSeconds(model.readTimeoutSeconds, deps.settings);
  attempt.heartbeat.report('claiming');
  attempt.register({ kind: 'turn', loopId: loop.id, leaseSeconds, limitSeconds });
  const claim = await claimTurn(deps.db, {
    loopId: loop.id,
    turnNumber,
    attemptScheduledMs: attempt.scheduledMs,
    leaseSeconds,
    withShell: model.stream !== false,
    defaultLimits: { steps: deps.settings.steps, ...agent.limits },
    lostAttemptsPerTurn: deps.settings.lostAttemptsPerTurn,
    costIsKnowable: priceIsKnown(model),
    modelName: model.name,
  });
  if (claim.kind === 'claimed') {
    attempt.hold({ generation: claim.generation }, claim.generation);
    attempt.limit(
      limitSeconds,
      () => new SolidLoopError('LimitExceededError', `turn ${turnNumber} ran longer than turnTimeoutSeconds (${limitSeconds} s)`, { field: 'turnTimeoutSeconds' }),
    );
  }
  return claim;
}
