/** Temporal's cancel is a stop; and a stopped loop asks for its own cancel, so that Temporal shows Canceled (R66). */

import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import { tables } from './activity-proxies';
import type { LoopRun } from './loop-run';

export class OwnCancellation {
  #isCancelled = false;
  #isOwn = false;

  /** Must be made in the workflow's root scope. */
  constructor(run: LoopRun) {
    CancellationScope.current().cancelRequested.catch(async () => {
      this.#isCancelled = true;
      if (!this.#isOwn) await run.during(() => CancellationScope.nonCancellable(() => stop(run)));
    });
  }

  /** Temporal takes no further cancel of this run. */
  get isSpent(): boolean {
    return this.#isCancelled;
  }

  /** Asks Temporal to cancel this workflow, and waits until it does. Does nothing where it was cancelled already. */
  async request(): Promise<void> {
    if (this.#isCancelled) return;
    this.#isOwn = true;
    await tables.cancelOwnWorkflow();
    await condition(() => this.#isCancelled);
  }
}

/** Never rejects: a stop that failed for good is in the worker's log, and the tables are asked. */
async function stop(run: LoopRun): Promise<void> {
  await run.untilOpen();
  const request = { verb: 'stop', by: 'temporal', reason: 'cancelled in Temporal' };
  await tables.control({ loopId: run.loopId, request, key: `temporal-cancel-${workflowInfo().runId}` }).catch(() => undefined);
  run.wake();
}
