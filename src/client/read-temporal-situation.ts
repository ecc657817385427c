/** Asks Temporal how a workflow stands: its pending activities, its own task, and whether anybody polls its queue. */

import { type Client, isGrpcServiceError, WorkflowNotFoundError, type WorkflowExecutionDescription } from '@temporalio/client';
import { messageOf } from '../domain/errors';
import type { ActivitySituation, Pollers, TemporalSituation, WorkflowTaskSituation } from './why-facts';

type RawDescription = WorkflowExecutionDescription['raw'];
type RawActivity = NonNullable<RawDescription['pendingActivities']>[number];
interface Timestamp {
  readonly seconds?: { toString(): string } | null;
  readonly nanos?: number | null;
}

/** Numbers of the wire: PendingActivityState. */
const ACTIVITY_STATES: Readonly<Record<number, ActivitySituation['state']>> = {
  1: 'scheduled',
  2: 'started',
  3: 'cancel-requested',
  4: 'paused',
  5: 'paused',
};
/** PendingWorkflowTaskState. */
const TASK_STARTED = 2;
/** TaskQueueType. */
const WORKFLOW_QUEUE = 1;
const ACTIVITY_QUEUE = 2;
/** A long poll lasts a minute; the server remembers pollers for five. */
const POLLER_HEARD_MS = 75_000;
const HISTORY_TAIL_EVENTS = 20;
const ANSWER_LIMIT_MS = 3_000;

/** Never throws: that Temporal does not answer is an answer. */
export async function readTemporalSituation(client: Client, workflowId: string, taskQueue: string): Promise<TemporalSituation> {
  try {
    return await client.withDeadline(Date.now() + ANSWER_LIMIT_MS, () => ask(client, workflowId, taskQueue));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'not-found' };
    return { kind: 'unreachable', reason: reasonOf(error) };
  }
}

async function ask(client: Client, workflowId: string, taskQueue: string): Promise<TemporalSituation> {
  const { raw, status, runId } = await client.workflow.getHandle(workflowId).describe();
  if (status.name !== 'RUNNING') return { kind: 'closed', status: status.name.toLowerCase() };
  const [workflowTask, pollers] = await Promise.all([readWorkflowTask(client, workflowId, runId, raw), readPollers(client, taskQueue)]);
  return { kind: 'open', activities: (raw.pendingActivities ?? []).map(toActivity), workflowTask, pollers };
}

function toActivity(raw: RawActivity): ActivitySituation {
  const state = ACTIVITY_STATES[raw.state ?? 1] ?? 'scheduled';
  const failure = raw.lastFailure;
  return {
    id: raw.activityId ?? '',
    type: raw.activityType?.name ?? '',
    state: raw.paused === true ? 'paused' : state,
    attempt: raw.attempt ?? 1,
    nextAttemptAt: toDate(raw.nextAttemptScheduleTime ?? raw.scheduledTime),
    lastHeartbeatAt: toDate(raw.lastHeartbeatTime),
    startedAt: toDate(raw.lastStartedTime),
    worker: raw.lastWorkerIdentity === undefined || raw.lastWorkerIdentity === '' ? null : raw.lastWorkerIdentity,
    lastFailure:
      failure == null
        ? null
        : {
            type: failure.applicationFailureInfo?.type ?? (failure.timeoutFailureInfo == null ? 'Failure' : 'Timeout'),
            message: failure.message ?? '',
          },
  };
}

async function readWorkflowTask(
  client: Client,
  workflowId: string,
  runId: string,
  raw: RawDescription,
): Promise<WorkflowTaskSituation | null> {
  const task = raw.pendingWorkflowTask;
  if (task == null) return null;
  const attempt = task.attempt ?? 1;
  const waitingSince = Number(task.state) === TASK_STARTED ? null : toDate(task.originalScheduledTime ?? task.scheduledTime);
  return { attempt, waitingSince, failure: attempt > 1 ? await readTaskFailure(client, workflowId, runId) : null };
}

async function readTaskFailure(client: Client, workflowId: string, runId: string): Promise<string | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: HISTORY_TAIL_EVENTS,
  });
  const failed = history?.events?.find((event) => event.workflowTaskFailedEventAttributes != null);
  return failed?.workflowTaskFailedEventAttributes?.failure?.message ?? null;
}

async function readPollers(client: Client, taskQueue: string): Promise<Pollers> {
  const [workflow, activity] = await Promise.all([
    countPollers(client, taskQueue, WORKFLOW_QUEUE),
    countPollers(client, taskQueue, ACTIVITY_QUEUE),
  ]);
  return { workflow, activity };
}

async function countPollers(client: Client, taskQueue: string, taskQueueType: number): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType,
  });
  const oldest = Date.now() - POLLER_HEARD_MS;
  return (pollers ?? []).filter((poller) => (toDate(poller.lastAccessTime)?.getTime() ?? 0) > oldest).length;
}

function toDate(timestamp: Timestamp | null | undefined): Date | null {
  if (timestamp == null) return null;
  const milliseconds = Number(timestamp.seconds ?? 0) * 1000 + (timestamp.nanos ?? 0) / 1e6;
  return milliseconds > 0 ? new Date(milliseconds) : null;
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && isGrpcServiceError(error.cause) ? error.cause.details : messageOf(error);
