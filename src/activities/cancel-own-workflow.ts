/** Asks Temporal to cancel the workflow that calls: a workflow cannot do so itself (R66). */

import { Context } from '@temporalio/activity';
import type { ActivityDependencies } from './dependencies';
import { withMappedFailures } from './with-mapped-failures';

export const createCancelOwnWorkflow = (deps: ActivityDependencies) =>
  withMappedFailures(async (): Promise<void> => {
    const execution = Context.current().info.workflowExecution;
    if (execution !== undefined) await deps.temporal.cancel(execution.workflowId, execution.runId);
  });
