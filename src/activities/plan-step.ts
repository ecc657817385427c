/** Adds to a next step what only the agent knows: timeouts, queues, names for Temporal UI. */

import type { Agent } from '../agents/agent';
import type { AgentRegistry } from '../agents/registry';
import type { NextStepAnswer } from '../db/loops/answer-next-step';
import { assertNever } from '../domain/assert-never';
import { SolidLoopError } from '../domain/errors';
import { startToCloseSeconds } from '../domain/lease';
import type { PlannedCall, PlannedStep, StepOptions } from '../domain/planned-step';
import type { EngineSettings } from '../domain/settings';

export interface Planner {
  readonly agents: AgentRegistry;
  readonly settings: EngineSettings;
}

export const DEFAULT_PARALLEL_TOOL_CALLS = 16;

/** `isWantedAnew`: only where the tables were read for a step that runs. An agent that this worker does not know is planned with defaults; the step itself says so (R46). */
export function planStep({ agents, settings }: Planner, { loop, next, pausedBy }: NextStepAnswer, isWantedAnew = false): PlannedStep {
  const agent = agents.find(loop.agentName);
  const optionsOf = (limitSeconds: number, summary: string, taskQueue?: string): StepOptions => ({
    startToCloseSeconds: startToCloseSeconds(limitSeconds, settings),
    heartbeatSeconds: settings.heartbeatTimeout,
    summary,
    ...(taskQueue === undefined ? {} : { taskQueue }),
  });
  switch (next.kind) {
    case 'turn': {
      const options = optionsOf(agent?.turnTimeoutSeconds ?? settings.defaultMaxDuration, turnSummary(next.turnNumber, agent));
      return { ...next, options, isWantedAnew };
    }
    case 'tools': {
      const calls = next.calls.map(({ id, name }): PlannedCall => {
        const tool = agent?.tools?.find((candidate) => candidate.name === name);
        return { id, name, options: optionsOf(tool?.timeoutSeconds ?? settings.defaultToolTimeout, name, tool?.taskQueue) };
      });
      return {
        ...next,
        calls,
        parallel: agent?.toolCalls === 'sequential' ? 1 : (agent?.maxParallelToolCalls ?? DEFAULT_PARALLEL_TOOL_CALLS),
      };
    }
    case 'wait':
      return pausedBy === null ? next : { ...next, by: pausedBy };
    case 'done':
      return loop.errorCode === null ? next : { ...next, code: loop.errorCode };
    case 'invalid':
      throw new SolidLoopError('InvalidState', `loop ${loop.id}: ${next.reason}`);
    default:
      return assertNever(next);
  }
}

function turnSummary(turnNumber: number, agent: Agent | undefined): string {
  const model = agent === undefined || typeof agent.model === 'function' ? undefined : agent.model.name;
  return model === undefined ? `turn ${turnNumber}` : `turn ${turnNumber} · ${model}`;
}
