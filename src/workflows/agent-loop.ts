/** The workflow: it asks the tables what is next, runs that step, and asks again. It holds ids and decisions, never content. */

import { ApplicationFailure, CancellationScope, CancelledFailure, continueAsNew } from '@temporalio/workflow';
import type { AgentLoopInput } from '../domain/agent-loop-input';
import { assertNever } from '../domain/assert-never';
import type { LoopResult, PlannedStep } from '../domain/planned-step';
import { stepActivities, tables } from './activity-proxies';
import { listenForControls } from './listen-for-controls';
import { type Answer, LoopRun } from './loop-run';
import { notifyFinished } from './notify-finished';
import { OwnCancellation } from './own-cancellation';
import { runStep } from './run-step';
import { runToolCalls } from './run-tool-calls';

/** Runs a loop to its end. Fails with `LoopFailed` or `StartRefused`, or ends as cancelled. */
export async function agentLoop(input: AgentLoopInput): Promise<LoopResult> {
  const run = new LoopRun();
  listenForControls(run);
  const cancellation = new OwnCancellation(run);
  return CancellationScope.nonCancellable(async () => {
    let answer = await open(run, input);
    for (;;) {
      run.viewer.show(answer.step);
      if (answer.step.kind === 'done') await notifyFinished(run, answer.step, answer.wakes);
      if (answer.step.kind === 'done' && (await run.isSettled(answer))) return finish(run, answer.step, cancellation, answer);
      if (answer.step.kind !== 'done' && run.shouldContinueAsNew && (await run.isSettled(answer)))
        await continueAsNew<typeof agentLoop>({ loopId: run.loopId });
      answer = await follow(run, answer);
    }
  });
}

async function open(run: LoopRun, input: AgentLoopInput): Promise<Answer> {
  const wakes = run.wakes;
  const opened = await tables.openLoop({ input });
  run.open(opened);
  return { step: opened.next, wakes };
}

async function follow(run: LoopRun, { step, wakes }: Answer): Promise<Answer> {
  switch (step.kind) {
    case 'turn':
      return runStep(run, step, wakes, () =>
        stepActivities(run.activityId(`turn-${step.turnNumber}-g${step.generation}`), step.options).runTurn({
          loopId: run.loopId,
          turnNumber: step.turnNumber,
        }),
      );
    case 'tools':
      return runStep(run, step, wakes, () => runToolCalls(run, step));
    case 'wait':
      await run.untilWoken(wakes);
      return run.ask();
    case 'done':
      return run.ask();
    default:
      return assertNever(step);
  }
}

type DoneStep = Extract<PlannedStep, { kind: 'done' }>;

async function finish(run: LoopRun, step: DoneStep, cancellation: OwnCancellation, answer: Answer): Promise<LoopResult> {
  if (step.status === 'failed')
    throw ApplicationFailure.nonRetryable(`loop ${run.loopId} failed`, 'LoopFailed', { loopId: run.loopId, code: step.code });
  if (step.status === 'completed') return { loopId: run.loopId, status: step.status };
  await cancellation.request();
  if (run.wakes !== answer.wakes) await continueAsNew<typeof agentLoop>({ loopId: run.loopId });
  throw new CancelledFailure(`loop ${run.loopId} was stopped`);
}
