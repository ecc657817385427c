/** The tool phase of a turn: one activity a call, at most so many at a time, all settled together (R52). */

import type { PlannedCall, PlannedStep } from '../domain/planned-step';
import { stepActivities } from './activity-proxies';
import type { LoopRun } from './loop-run';

type ToolsStep = Extract<PlannedStep, { kind: 'tools' }>;

/** Answers what is next where a call of the phase could say it: the one that answered the last unresolved call. */
export async function runToolCalls(run: LoopRun, step: ToolsStep): Promise<PlannedStep | undefined> {
  const waiting = [...step.calls];
  let next: PlannedStep | undefined;
  const failures: unknown[] = [];

  const runLane = async (): Promise<void> => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      try {
        next = (await runCall(run, step, call)) ?? next;
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(step.parallel, step.calls.length) }, runLane));
  if (failures.length > 0) throw failures[0];
  return next;
}

async function runCall(run: LoopRun, step: ToolsStep, call: PlannedCall): Promise<PlannedStep | undefined> {
  const activityId = run.activityId(`call-${call.id}-g${step.generation}`);
  const settled = await stepActivities(activityId, call.options).runTool({
    loopId: run.loopId,
    agent: run.agent,
    turnNumber: step.turnNumber,
    callId: call.id,
    name: call.name,
    generation: step.generation,
  });
  return settled.next;
}
