/** The port to Temporal over its client: starts and wakes by id, describes, cancels. Content never crosses (R9). */

import { type Client, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { messageOf, SolidLoopError } from '../domain/errors';
import type { DrivenLoop, TemporalDriver, WorkflowState } from '../domain/temporal-driver';
import { wakeSignal } from '../workflows/controls';

const WORKFLOW_TYPE = 'agentLoop';

const STATES: Readonly<Record<string, WorkflowState>> = {
  RUNNING: 'running',
  CONTINUED_AS_NEW: 'running',
  PAUSED: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed-out',
};

export function createTemporalDriver(client: Client): TemporalDriver {
  return {
    namespaceId: () =>
      namingUnavailable('the namespace', async () => {
        const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace: client.options.namespace });
        return namespaceInfo?.id ?? '';
      }),
    describe: (workflowId) =>
      namingUnavailable(workflowId, async () => {
        try {
          const { status } = await client.workflow.getHandle(workflowId).describe();
          return STATES[status.name] ?? 'running';
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return 'not-found';
          throw error;
        }
      }),
    start: (loop) => namingUnavailable(loop.workflowId, async () => void (await client.workflow.start(WORKFLOW_TYPE, startOptions(loop)))),
    wake: (loop) =>
      namingUnavailable(
        loop.workflowId,
        async () => void (await client.workflow.signalWithStart(WORKFLOW_TYPE, { ...startOptions(loop), signal: wakeSignal })),
      ),
    cancel: (workflowId, runId) =>
      namingUnavailable(workflowId, async () => {
        await client.workflow
          .getHandle(workflowId, runId)
          .cancel()
          .catch((error: unknown) => {
            if (!(error instanceof WorkflowNotFoundError)) throw error;
          });
      }),
  };
}

function startOptions({ id, workflowId, taskQueue, agentName }: DrivenLoop) {
  return {
    workflowId,
    taskQueue,
    args: [{ loopId: id }],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    staticSummary: agentName,
    staticDetails: `Loop ${id} of agent ${agentName}. \`solidloop show ${id}\` prints its transcript, \`solidloop why ${id}\` what it waits for.`,
  } as const;
}

async function namingUnavailable<Result>(what: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    throw new SolidLoopError('TemporalUnavailable', `Temporal did not answer about ${what}: ${reasonOf(error)}`, { cause: error });
  }
}

/** The SDK wraps gRPC's own words in a cause. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && isGrpcServiceError(error.cause) ? error.cause.details : messageOf(error);
