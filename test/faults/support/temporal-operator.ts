/** What people do with Temporal's own tools: reset, signal and cancel workflows. */

import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { temporalAddress } from '../../support/workflows';

const NAMESPACE = 'default';
const FIRST_EVENTS = 30;

export interface TemporalOperator {
  /** To its first task: everything after it is forgotten by Temporal, and known by the tables. */
  readonly reset: (workflowId: string) => Promise<void>;
  /** False where the workflow has ended. */
  readonly signal: (workflowId: string, name: string, payload: object) => Promise<boolean>;
  /** False where the workflow has ended. */
  readonly cancel: (workflowId: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

export async function openTemporalOperator(): Promise<TemporalOperator> {
  const connection = await Connection.connect({ address: temporalAddress() });
  const client = new Client({ connection });
  const ifOpen = async (act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };
  return {
    reset: async (workflowId) => {
      const execution = { workflowId };
      const { history } = await client.workflowService.getWorkflowExecutionHistory({
        namespace: NAMESPACE,
        execution,
        maximumPageSize: FIRST_EVENTS,
      });
      const first = history?.events?.find((event) => Boolean(event.workflowTaskCompletedEventAttributes));
      if (first?.eventId === undefined) return;
      await client.workflowService.resetWorkflowExecution({
        namespace: NAMESPACE,
        workflowExecution: execution,
        reason: 'chaos',
        requestId: randomUUID(),
        workflowTaskFinishEventId: first.eventId,
      });
    },
    signal: (workflowId, name, payload) => ifOpen(() => client.workflow.getHandle(workflowId).signal(name, payload)),
    cancel: (workflowId) => ifOpen(() => client.workflow.getHandle(workflowId).cancel()),
    close: () => connection.close(),
  };
}
