/** Runs one step and listens to wakes meanwhile: the step is cancelled only where the tables no longer ask for it (R67). */

import { ActivityFailure, ApplicationFailure, CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { Generation } from '../domain/ids';
import type { PlannedStep } from '../domain/planned-step';
import { tables } from './activity-proxies';
import type { Answer, LoopRun } from './loop-run';

export type RunningStep = Extract<PlannedStep, { kind: 'turn' | 'tools' }>;

/** Of a loop at rest: closing it changes nothing, and answers what is next. */
const NO_TURN = 0;

type Outcome = { readonly kind: 'answered'; readonly next: PlannedStep | undefined } | { readonly kind: 'failed'; readonly error: unknown };

/**
 * `execute` answers what is next, or undefined where the tables must be asked. `wakes` is that of the answer which asked for the
 * step: a wake that came while that answer was on its way is looked at now. The step's own answer counts as
 * of the step's start: whatever was read meanwhile, a later wake is not among what it knows, and the tables are asked again.
 */
export async function runStep(
  run: LoopRun,
  step: RunningStep,
  wakes: number,
  execute: () => Promise<PlannedStep | undefined>,
): Promise<Answer> {
  const scope = new CancellationScope({ cancellable: true });
  const work = startIn(scope, execute);
  let seen = wakes;
  for (;;) {
    await condition(() => work.outcome !== undefined || run.wakes !== seen);
    if (work.outcome !== undefined) return settle(run, step, work.outcome, wakes);
    const answer = await run.ask().catch((error: unknown) => {
      scope.cancel();
      throw error;
    });
    if (!asksFor(answer.step, step)) {
      scope.cancel();
      return answer;
    }
    seen = answer.wakes;
  }
}

function startIn(scope: CancellationScope, execute: () => Promise<PlannedStep | undefined>): { outcome: Outcome | undefined } {
  const work: { outcome: Outcome | undefined } = { outcome: undefined };
  scope.run(execute).then(
    (next) => (work.outcome = { kind: 'answered', next }),
    (error: unknown) => (work.outcome = { kind: 'failed', error }),
  );
  return work;
}

/** Whether the tables still ask for the step that runs: a turn comes again by itself, unless somebody wants it sooner than that. */
function asksFor(now: PlannedStep, running: RunningStep): boolean {
  if (now.kind === 'turn' && running.kind === 'turn') {
    return now.turnNumber === running.turnNumber && !(now.isWantedAnew && now.generation !== running.generation);
  }
  return now.kind === 'tools' && running.kind === 'tools' && now.generation === running.generation;
}

async function settle(run: LoopRun, step: RunningStep, outcome: Outcome, wakes: number): Promise<Answer> {
  if (outcome.kind === 'answered') return outcome.next === undefined ? run.ask() : { step: outcome.next, wakes };
  return closeAfter(run, step, outcome.error);
}

/** Closes the loop where what was done for this step failed for good, else asks what is next (R27, R28). */
export async function closeAfter(run: LoopRun, step: PlannedStep, error: unknown): Promise<Answer> {
  const failure = failureOf(error);
  if (failure === undefined) return run.ask();
  const wakes = run.wakes;
  const next = await tables.closeLoop({
    loopId: run.loopId,
    turnNumber: 'turnNumber' in step ? step.turnNumber : NO_TURN,
    generation: failure.generation ?? step.generation,
    code: failure.code,
  });
  return { step: next, wakes };
}

/** R28: undefined where the failure says no more than "ask the tables what is next". */
function failureOf(error: unknown): { readonly code: string; readonly generation: Generation | undefined } | undefined {
  if (isCancellation(error)) return undefined;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) return { code: cause instanceof Error ? cause.name : 'InternalError', generation: undefined };
  const code = cause.type ?? 'InternalError';
  if (code === 'LostLease' || code === 'WorkerShutdown') return undefined;
  return { code, generation: (cause.details?.[0] as { generation?: Generation } | undefined)?.generation };
}
