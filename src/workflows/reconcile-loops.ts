/** The scheduled reconciler: one activity, which does nothing while Temporal cannot be asked (R70). */

import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';

const { reconcile } = proxyActivities<Pick<Activities, 'reconcile'>>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '30s',
  retry: { maximumAttempts: 3 },
  summary: 'compare the tables with Temporal',
});

export async function reconcileLoops(): Promise<Readonly<Record<string, number>>> {
  return reconcile();
}
