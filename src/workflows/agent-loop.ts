/** The workflow: it asks the tables what is next, runs that step, and asks again. It holds ids and decisions, never content. */

import { ActivityFailure, ApplicationFailure, CancellationScope, CancelledFailure } from '@temporalio/workflow';
import { type AgentLoopInput, INPUT_LIMIT_BYTES } from '../domain/agent-loop-input';
import { assertNever } from '../domain/assert-never';
import type { LoopResult, PlannedStep } from '../domain/planned-step';
import { stepActivities, tables } from './activity-proxies';
import { listenForControls } from './listen-for-controls';
import { type Answer, LoopRun } from './loop-run';
import { notifyFinished } from './notify-finished';
import { OwnCancellation } from './own-cancellation';
import { closeAfter, runStep } from './run-step';
import { runToolCalls } from './run-tool-calls';
import { continueOnNewest } from './versions';

/** Runs a loop to its end. Fails with `LoopFailed` or `StartRefused`, or ends as cancelled. */
export async function agentLoop(input: AgentLoopInput): Promise<LoopResult> {
  const run = new LoopRun();
  listenForControls(run);
  const cancellation = new OwnCancellation(run);
  return CancellationScope.nonCancellable(() => drive(run, input, cancellation).catch(throwOwnFailure));
}

async function drive(run: LoopRun, input: AgentLoopInput, cancellation: OwnCancellation): Promise<LoopResult> {
  let answer = await open(run, input);
  for (;;) {
    run.viewer.show(answer.step);
    if (answer.step.kind === 'done') await notifyFinished(run, answer.step, answer.wakes);
    if (answer.step.kind === 'done' && (await run.isSettled(answer))) return finish(run, answer.step, cancellation, answer);
    if (answer.step.kind !== 'done' && handsOver(run, cancellation) && (await run.isSettled(answer))) await continueOnNewest(run.loopId);
    answer = await followOrClose(run, answer);
  }
}

/** What an activity was refused with is the workflow's own failure, so that every starter sees its code and words (R27). */
function throwOwnFailure(error: unknown): never {
  throw error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
}

/** A run can be cancelled once: a loop that was reopened after it goes on in a run whose cancel is a stop again. */
const handsOver = (run: LoopRun, cancellation: OwnCancellation): boolean => run.shouldContinueAsNew || cancellation.isSpent;

async function open(run: LoopRun, input: AgentLoopInput): Promise<Answer> {
  const wakes = run.wakes;
  assertFitsInput(input);
  const opened = await tables.openLoop({ input });
  run.open(opened);
  return { step: opened.next, wakes };
}

/** Before it is handed to an activity: Temporal takes an input of a workflow that an activity's would be too large for (R9). */
function assertFitsInput(input: AgentLoopInput): void {
  const chars = JSON.stringify(input ?? null).length;
  if (chars <= INPUT_LIMIT_BYTES) return;
  const sentence = `the input has ${chars} characters, and at most ${INPUT_LIMIT_BYTES} bytes may be given this way; start the loop with this package's client`;
  throw ApplicationFailure.nonRetryable(sentence, 'StartRefused', { field: 'message' });
}

/** R27: a reading of the tables that failed for good is no way out of the workflow before the loop is closed. */
async function followOrClose(run: LoopRun, answer: Answer): Promise<Answer> {
  try {
    return await follow(run, answer);
  } catch (error) {
    // Anything else is a fault of this code: the workflow's task comes again until it is mended.
    if (!(error instanceof ActivityFailure)) throw error;
    return closeAfter(run, answer.step, error);
  }
}

async function follow(run: LoopRun, { step, wakes }: Answer): Promise<Answer> {
  switch (step.kind) {
    case 'turn':
      return runStep(run, step, wakes, () =>
        stepActivities(run.activityId(`turn-${step.turnNumber}-g${step.generation}`), step.options).runTurn({
          loopId: run.loopId,
          agent: run.agent,
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
  if (!(await run.isSettled(answer))) await continueOnNewest(run.loopId);
  throw new CancelledFailure(`loop ${run.loopId} was stopped`);
}
