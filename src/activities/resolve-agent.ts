/** Finds a loop's agent before a claim; one that this worker does not know is waited for, then the loop pauses (R46). */

import type { Agent, ModelSettings } from '../agents/agent';
import type { NextStepAnswer } from '../db/answer-next-step';
import { closeLoop } from '../db/close-loop';
import { noteUnknownAgent, type UnknownNameOptions } from '../db/note-unknown-agent';
import { messageOf, SolidLoopError } from '../domain/errors';
import type { Loop } from '../domain/loop';
import type { ActivityDependencies } from './dependencies';

export type Resolved<Value> = { readonly kind: 'resolved'; readonly value: Value } | ({ readonly kind: 'ended' } & NextStepAnswer);

/** @throws UnknownAgent, retryable, while a rolling deploy may still bring the agent */
export async function resolveAgent(deps: ActivityDependencies, loop: Loop): Promise<Resolved<Agent>> {
  const agent = deps.agents.find(loop.agentName);
  if (agent !== undefined) return { kind: 'resolved', value: agent };
  return giveUpOn(deps, { loopId: loop.id, turnNumber: loop.turnNumber, name: loop.agentName, knownNames: deps.agents.names });
}

/** The model of the turn. A choice that throws ends the loop, with its text in the row (R57). */
export async function resolveModel(deps: ActivityDependencies, loop: Loop, agent: Agent): Promise<Resolved<ModelSettings>> {
  try {
    const value = typeof agent.model === 'function' ? await agent.model({ loop }) : agent.model;
    return { kind: 'resolved', value };
  } catch (error) {
    const reason = `the model of agent "${agent.name}" could not be chosen: ${messageOf(error)}`;
    const { id: loopId, turnNumber, generation } = loop;
    return { kind: 'ended', ...(await closeLoop(deps.db, { loopId, turnNumber, generation, code: 'ConfigError', reason })) };
  }
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
