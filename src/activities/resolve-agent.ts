/** Finds a loop's agent before a claim; one that this worker does not know is waited for, then the loop pauses (R46). */

import type { Agent, ModelSettings } from '../agents/agent';
import { assertModelSettings } from '../agents/check-model';
import { runHook } from '../agents/run-hook';
import type { NextStepAnswer } from '../db/loops/answer-next-step';
import { closeLoop } from '../db/loops/close-loop';
import { getLoop } from '../db/repositories/loops.repository';
import { noteUnknownAgent, type UnknownNameOptions } from '../db/loops/note-unknown-agent';
import { SolidLoopError } from '../domain/errors';
import type { LoopId } from '../domain/ids';
import type { ActivityDependencies } from './dependencies';

export type Resolved<Value> = { readonly kind: 'resolved'; readonly value: Value } | ({ readonly kind: 'ended' } & NextStepAnswer);

/** @throws UnknownAgent, retryable, while a rolling deploy may still bring the agent */
export async function resolveAgent(
  deps: ActivityDependencies,
  wanted: Pick<UnknownNameOptions, 'loopId' | 'turnNumber' | 'name'>,
): Promise<Resolved<Agent>> {
  const agent = deps.agents.find(wanted.name);
  if (agent !== undefined) return { kind: 'resolved', value: agent };
  return giveUpOn(deps, { ...wanted, knownNames: deps.agents.names });
}

/**
 * The model of the turn. A choice that throws, takes too long or gives no model ends the loop, with its text in the row (R57): only
 * while this turn is the one that is due.
 */
export async function resolveModel(
  deps: ActivityDependencies,
  { loopId, turnNumber, agent }: { readonly loopId: LoopId; readonly turnNumber: number; readonly agent: Agent },
): Promise<Resolved<ModelSettings>> {
  const { model } = agent;
  if (typeof model !== 'function') return { kind: 'resolved', value: model };
  const loop = await getLoop(deps.db, loopId);
  const chosen = await chooseModel(
    () => model({ loop }),
    `agent "${agent.name}": the model that its function chose`,
    deps.settings.hookTimeout,
  );
  if (typeof chosen !== 'string') return { kind: 'resolved', value: chosen };
  const reason = `the model of agent "${agent.name}" could not be chosen: ${chosen}`;
  return {
    kind: 'ended',
    ...(await closeLoop(deps.db, { loopId, turnNumber, generation: loop.generation, code: 'ConfigError', reason })),
  };
}

/** Why not, as a sentence, where it could not be chosen. */
async function chooseModel(choose: () => unknown, where: string, timeoutSeconds: number): Promise<ModelSettings | string> {
  let chosen: ModelSettings | undefined;
  const outcome = await runHook(async () => {
    const model: unknown = await choose();
    assertModelSettings(where, model);
    chosen = model;
  }, timeoutSeconds);
  return outcome.kind === 'failed' ? outcome.message : (chosen ?? 'nothing was chosen');
}

/** @throws UnknownAgent or UnknownTool until the patience is over; then the loop is paused, with the names that are known */
export async function giveUpOn(
  deps: ActivityDependencies,
  unknown: Omit<UnknownNameOptions, 'patienceSeconds'>,
): Promise<{ readonly kind: 'ended' } & NextStepAnswer> {
  const noted = await noteUnknownAgent(deps.db, { ...unknown, patienceSeconds: deps.settings.unknownAgentPatience });
  if (noted.kind !== 'waiting') return { ...noted, kind: 'ended' };
  const code = unknown.callId === undefined ? 'UnknownAgent' : 'UnknownTool';
  throw new SolidLoopError(code, `this worker knows no "${unknown.name}"; there are: ${unknown.knownNames.join(', ')}`);
}
