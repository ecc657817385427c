/** What people do with Temporal's own tools: reset, signal, cancel and terminate workflows, reset and pause activities. */

import { randomUUID } from 'node:crypto';
import { Client, Connection, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { untilServed } from './until-served';

const NAMESPACE = 'default';
const FIRST_EVENTS = 30;
const GRPC_NOT_FOUND = 5;
const GRPC_PRECONDITION_FAILED = 9;

export interface PlacedActivity {
  readonly workflowId: string;
  readonly activityId: string;
}

/** False: there was nothing left to act upon. A server that is away is asked again. */
export interface TemporalOperator {
  /** To its first task: everything after it is forgotten by Temporal, and known by the tables. */
  readonly reset: (workflowId: string) => Promise<boolean>;
  readonly signal: (workflowId: string, name: string, payload: object) => Promise<boolean>;
  readonly cancel: (workflowId: string) => Promise<boolean>;
  readonly terminate: (workflowId: string) => Promise<boolean>;
  readonly resetActivity: (activity: PlacedActivity) => Promise<boolean>;
  readonly pauseActivity: (activity: PlacedActivity) => Promise<boolean>;
  readonly unpauseActivity: (activity: PlacedActivity) => Promise<boolean>;
  /** Temporal's word for how the workflow stands: RUNNING, COMPLETED … */
  readonly statusOf: (workflowId: string) => Promise<string>;
  readonly client: Client;
  readonly close: () => Promise<void>;
}

export async function openTemporalOperator(address: string): Promise<TemporalOperator> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const { workflowService } = client;
  const ifThere = (act: () => Promise<unknown>): Promise<boolean> =>
    untilServed(async () => {
      try {
        await act();
        return true;
      } catch (error) {
        if (isGone(error)) return false;
        throw error;
      }
    });
  const handleOf = (workflowId: string) => client.workflow.getHandle(workflowId);
  return {
    reset: (workflowId) => ifThere(() => resetToFirstTask(client, workflowId)),
    signal: (workflowId, name, payload) => ifThere(() => handleOf(workflowId).signal(name, payload)),
    cancel: (workflowId) => ifThere(() => handleOf(workflowId).cancel()),
    terminate: (workflowId) => ifThere(() => handleOf(workflowId).terminate('chaos')),
    resetActivity: (activity) => ifThere(() => workflowService.resetActivity(toRequest(activity))),
    pauseActivity: (activity) => ifThere(() => workflowService.pauseActivity(toRequest(activity))),
    unpauseActivity: (activity) => ifThere(() => workflowService.unpauseActivity(toRequest(activity))),
    statusOf: (workflowId) => untilServed(async () => (await handleOf(workflowId).describe()).status.name),
    client,
    close: () => connection.close(),
  };
}

const toRequest = ({ workflowId, activityId: id }: PlacedActivity) => ({
  namespace: NAMESPACE,
  execution: { workflowId },
  id,
  identity: 'chaos',
});

function isGone(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  return isGrpcServiceError(error) && [GRPC_NOT_FOUND, GRPC_PRECONDITION_FAILED].includes(error.code);
}

async function resetToFirstTask({ workflowService }: Client, workflowId: string): Promise<void> {
  const execution = { workflowId };
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: NAMESPACE,
    execution,
    maximumPageSize: FIRST_EVENTS,
  });
  const first = history?.events?.find((event) => Boolean(event.workflowTaskCompletedEventAttributes));
  if (first?.eventId === undefined) return;
  await workflowService.resetWorkflowExecution({
    namespace: NAMESPACE,
    workflowExecution: execution,
    reason: 'chaos',
    requestId: randomUUID(),
    workflowTaskFinishEventId: first.eventId,
  });
}
