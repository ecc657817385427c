/** Which worker has a workflow in its cache: told by the workflow's history. */

import type { Client } from '@temporalio/client';

export async function eventsOf(temporal: Client, workflowId: string) {
  return (await temporal.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
}

/** The process in which the workflow's last task is done; undefined while a task or an activity is on its way. */
export async function pidOfCache(temporal: Client, workflowId: string): Promise<number | undefined> {
  const events = await eventsOf(temporal, workflowId);
  // What the task told the list of workflows is written behind it.
  const last = events.findLast((event) => !event.upsertWorkflowSearchAttributesEventAttributes);
  const [pid] = last?.workflowTaskCompletedEventAttributes?.identity?.split('@') ?? [];
  return pid === undefined ? undefined : Number(pid);
}
