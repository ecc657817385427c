/** "It is finished", told before the workflow ends: a loop that goes on does not wait, and the reconciler tells what was not told (R47). */

import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import type { PlannedStep } from '../domain/planned-step';
import type { LoopRun } from './loop-run';

/** Bounded in time: a receiver that is away does not hold the workflow's end up for longer. */
const { notifyFinished: notify } = proxyActivities<Pick<Activities, 'notifyFinished'>>({
  startToCloseTimeout: '60s',
  scheduleToCloseTimeout: '120s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  summary: 'tell that the loop has ended',
});

/** Once for each end that this run sees. A wake is looked at, and the waiting goes on where the loop is still at this end. */
export async function notifyFinished(run: LoopRun, step: Extract<PlannedStep, { kind: 'done' }>, wakes: number): Promise<void> {
  const told = run.telling(step.generation, () => notify({ loopId: run.loopId }).catch(() => undefined));
  if (told !== undefined) await Promise.race([told, run.untilWoken(wakes)]);
}
