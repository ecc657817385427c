/** Ends the workflow of a loop whose rows are gone: it would find nothing to drive. */

import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** One that has ended, or never was, is fine. */
export async function endWorkflow(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).terminate('its loop was erased');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
