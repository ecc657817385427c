/** Temporal's schedule that runs the reconciler: made by the first worker that does not find it (R70). */

import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';

const INTERVAL = '1m';
/** After an outage of Temporal one run is enough. */
const CATCHUP_WINDOW = '1m';

export const reconcileScheduleId = (taskQueue: string): string => `solidloop-reconcile-${taskQueue}`;

/** Answers whether it was made now. One that a person changed or paused is left as it is. */
export async function ensureReconcileSchedule(client: Client, taskQueue: string): Promise<boolean> {
  const scheduleId = reconcileScheduleId(taskQueue);
  try {
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: INTERVAL }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'reconcileLoops',
        workflowId: scheduleId,
        taskQueue,
        args: [],
        workflowExecutionTimeout: '10m',
        staticSummary: 'compare the tables with Temporal',
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW },
      state: { note: 'Made by a SolidLoop worker. Repairs what Temporal lost; `solidloop reconcile` does the same by hand.' },
    });
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}
