/** One LLM turn: claim, load, call, parse, commit. */

import type { Agent, ModelSettings } from '../agents/agent';
import { claimTurn, type TurnClaim } from '../db/turns/claim-turn';
import { commitTurn } from '../db/turns/commit-turn';
import { failTurn } from '../db/turns/end-turn';
import { loadTurn } from '../db/turns/load-turn';
import { SolidLoopError } from '../domain/errors';
import type { LoopId } from '../domain/ids';
import { turnLeaseSeconds } from '../domain/lease';
import type { PlannedStep } from '../domain/planned-step';
import type { TurnAnswer } from '../domain/turn';
import { priceIsKnown } from '../llm/pricing/price-of';
import { runLlmTurn } from '../llm/run-llm-turn';
import { DiscardedSpend } from '../llm/turn/discarded-spend';
import { withTurnSpan } from '../metrics/spans';
import { type Attempt, withAttempt } from './attempt';
import type { ActivityDependencies } from './dependencies';
import { endFailedTurn } from './end-failed-turn';
import { planStep } from './plan-step';
import { resolveAgent, resolveModel } from './resolve-agent';
import { runMessageHooks } from './run-message-hooks';
import { turnPorts } from './turn-ports';
import { reach } from './reach';

export interface RunTurnInput {
  readonly loopId: LoopId;
  /** Its name: that of a loop never changes. */
  readonly agent: string;
  readonly turnNumber: number;
}

export const createRunTurn = (deps: ActivityDependencies) => (input: RunTurnInput) =>
  withAttempt(deps.renewer, (attempt) => runTurn(deps, attempt, input));

async function runTurn(
  deps: ActivityDependencies,
  attempt: Attempt,
  { loopId, agent: name, turnNumber }: RunTurnInput,
): Promise<PlannedStep> {
  const agent = await resolveAgent(deps, { loopId, turnNumber, name });
  if (agent.kind === 'ended') return planStep(deps, agent);
  const model = await resolveModel(deps, { loopId, turnNumber, agent: agent.value });
  if (model.kind === 'ended') return planStep(deps, model);

  const claim = await claimDueTurn(deps, attempt, { loopId, turnNumber, agent: agent.value, model: model.value });
  if (claim.kind === 'answered') return planStep(deps, claim);
  const claimed = { claim, turnNumber, agent: agent.value, model: model.value };
  return withTurnSpan({ loop: claim.loop, turnNumber, model: model.value.name }, () => runClaimedTurn(deps, attempt, claimed));
}

interface DueTurn {
  readonly loopId: LoopId;
  readonly turnNumber: number;
  readonly agent: Agent;
  readonly model: ModelSettings;
}

async function claimDueTurn(
  deps: ActivityDependencies,
  attempt: Attempt,
  { loopId, turnNumber, agent, model }: DueTurn,
): Promise<TurnClaim> {
  const limitSeconds = agent.turnTimeoutSeconds ?? deps.settings.defaultMaxDuration;
  const leaseSeconds = turnLeaseSeconds(model.readTimeoutSeconds, deps.settings);
  attempt.heartbeat.report('claiming');
  attempt.register({ kind: 'turn', loopId, leaseSeconds, limitSeconds });
  await reach('turn:before-claim');
  const claim = await claimTurn(deps.db, {
    loopId,
    turnNumber,
    attemptScheduledMs: attempt.scheduledMs,
    leaseSeconds,
    withShell: model.stream !== false,
    defaultLimits: { steps: deps.settings.steps, ...agent.limits },
    lostAttemptsPerStep: deps.settings.lostAttemptsPerStep,
    costIsKnowable: priceIsKnown(model),
    modelName: model.name,
    ...(attempt.lastPhase === undefined ? {} : { phase: attempt.lastPhase }),
  });
  if (claim.kind === 'claimed') {
    attempt.hold({ generation: claim.generation }, claim.generation);
    if (claim.isTakeover) deps.metrics.tookOver('turn');
    attempt.limit(
      limitSeconds,
      () => new SolidLoopError('LimitExceededError', `turn ${turnNumber} ran for more than turnTimeoutSeconds (${limitSeconds})`),
    );
  }
  return claim;
}

interface ClaimedTurn {
  readonly claim: Extract<TurnClaim, { kind: 'claimed' }>;
  readonly turnNumber: number;
  readonly agent: Agent;
  readonly model: ModelSettings;
}

async function runClaimedTurn(
  deps: ActivityDependencies,
  attempt: Attempt,
  { claim, turnNumber, agent, model }: ClaimedTurn,
): Promise<PlannedStep> {
  const claimedMs = performance.now();
  const elapsedSeconds = (): number => (performance.now() - claimedMs) / 1000;
  const { loop, generation, shellId } = claim;
  const turn = { loopId: loop.id, turnNumber, generation };
  const discarded = new DiscardedSpend();
  try {
    await reach('turn:after-claim');
    attempt.heartbeat.report('loading');
    const transcript = await loadTurn(deps.db, turn);

    await reach('turn:after-load');
    const ports = turnPorts(deps, attempt, { loop, generation, turnNumber, shellId });
    const outcome = await runLlmTurn(
      {
        loop,
        agent,
        model,
        turnNumber,
        generation,
        transcript,
        guard: attempt.guard,
        discarded,
        adjust: deps.config.middleware?.llm,
      },
      ports,
    );

    attempt.heartbeat.report('committing');
    await reach('turn:before-commit');
    attempt.release();
    if (outcome.kind !== 'answer')
      return planStep(deps, await failTurn(deps.db, { ...turn, failure: outcome, discarded: discarded.total }));
    const commit = await commitTurn(deps.db, { ...turn, answer: outcome.answer, discarded: discarded.total });
    await reach('turn:after-commit');
    if (commit.kind === 'committed') {
      deps.metrics.turnCommitted({
        agent: agent.name,
        model: modelOf(outcome.answer, model),
        usage: outcome.answer.usage,
        cost: outcome.answer.cost,
      });
      await runMessageHooks(deps, agent, commit.loop);
    }
    await reach('turn:after-hooks');
    return planStep(deps, commit);
  } catch (error) {
    return endFailedTurn(deps, attempt, { ...turn, elapsedSeconds, discarded }, error);
  }
}

/** The model that served (R36). */
const modelOf = ({ metadata }: TurnAnswer, { name }: ModelSettings): string => (typeof metadata.model === 'string' ? metadata.model : name);
