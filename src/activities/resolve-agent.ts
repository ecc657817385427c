/** Finds the loop's agent and its model before a claim; what cannot be resolved ends in the tables, with its text (R46, R57). */

import type { Agent, ModelSettings } from '../agents/agent';
import { closeLoop } from '../db/close-loop';
import { noteUnknownAgent } from '../db/note-unknown-agent';
import { getLoop } from '../db/repositories/loops.repository';
import { messageOf } from '../domain/errors';
import type { LoopId } from '../domain/ids';
import type { Loop } from '../domain/loop';
import type { NextStep } from '../domain/next-step';
import type { ActivityDependencies } from './dependencies';

export type ResolvedAgent =
  | { readonly kind: 'resolved'; readonly loop: Loop; readonly agent: Agent; readonly model: ModelSettings }
  | { readonly kind: 'ended'; readonly loop: Loop; readonly next: NextStep };

/** @throws UnknownAgent (retryable) while a rolling deploy may still bring the agent */
export async function resolveAgent(deps: ActivityDependencies, loopId: LoopId): Promise<ResolvedAgent> {
  const loop = await getLoop(deps.db, loopId);
  const agent = deps.agents.find(loop.agentName);
  if (agent === undefined) return { kind: 'ended', ...(await giveUpOnUnknownAgent(deps, loop)) };
  try {
    const model = typeof agent.model === 'function' ? await agent.model({ loop }) : agent.model;
    return { kind: 'resolved', loop, agent, model };
  } catch (error) {
    const reason = `the model of agent "${agent.name}" could not be chosen: ${messageOf(error)}`;
    return { kind: 'ended', ...(await closeLoop(deps.db, { loopId, turnNumber: loop.turnNumber, generation: loop.generation, code: 'ConfigError', reason })) };
  }
}

/** @throws UnknownAgent until the patience is over; then the loop is paused, with the names that are known */
export const giveUpOnUnknownAgent = (deps: ActivityDependencies, loop: Loop): Promise<{ readonly loop: Loop; readonly next: NextStep }> =>
  noteUnknownAgent(deps.db, {
    loopId: loop.id,
    agentName: loop.agentName,
    knownNames: deps.agents.names,
    patienceSeconds: deps.settings.unknownAgentPatience,
  });
