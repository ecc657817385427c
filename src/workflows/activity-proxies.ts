/** How the workflow calls its activities: timeouts, retries, names in Temporal UI. */

import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import type { StepOptions } from '../domain/planned-step';

/** Short fenced reads and writes of the tables: retried as long as the database is away (R27). A worker that dies in one is noticed by its beats. */
export const tables = proxyActivities<Activities>({
  startToCloseTimeout: '60s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
});

/**
 * A turn or a tool call: no maximum of attempts, no schedule-to-close; failures are counted in the row (R28). A provider's back-off comes
 * with its failure; what is left is a database that is away, a worker that died: those end soon, and a loop must not sleep on after them.
 */
export const stepActivities = (activityId: string, options: StepOptions): Pick<Activities, 'runTurn' | 'runTool'> =>
  proxyActivities<Activities>({
    activityId,
    summary: options.summary,
    startToCloseTimeout: options.startToCloseSeconds * 1000,
    heartbeatTimeout: options.heartbeatSeconds * 1000,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
    ...(options.taskQueue === undefined ? {} : { taskQueue: options.taskQueue }),
  });
