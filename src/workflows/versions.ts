/**
 * Changes of workflow code: the one place where a run learns that its code is another than the one it started with.
 *
 * The rule. A change is free where recorded histories still replay: activity arguments, summaries, timeouts and retry policies are not
 * compared; the order, type and id of activities, timers and new awaits on them are. The replay test and `solidloop preflight` decide,
 * not the reader. A change that does not replay has two ways:
 *
 * 1. With worker deployments (a build id is set): none is needed. A run is pinned to the version it started on and goes over to the newest
 *    one by continuing as new at the next edge of a step; `continueOnNewest` is that way, and a wake brings a sleeping loop to it.
 * 2. Without them: a patch. Name it here as a constant, `YYYY-MM what changed`, and branch on `patched(NAME)` at the one place that
 *    changed; record a history of each side. When no run from before is left (preflight lists none), replace it by `deprecatePatch(NAME)`
 *    for one release, then remove it. There is none now.
 */

import { makeContinueAsNewFunc } from '@temporalio/workflow';
import type { LoopId } from '../domain/ids';
import type { agentLoop } from './agent-loop';

/** The next run reads everything from the tables; with worker deployments it runs on the newest version. Never returns. */
export function continueOnNewest(loopId: LoopId): Promise<never> {
  return makeContinueAsNewFunc<typeof agentLoop>({ initialVersioningBehavior: 'AUTO_UPGRADE' })({ loopId });
}
