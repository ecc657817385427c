/** What the tables' side needs of Temporal: a port, so that control and the reconciler know no client. */

import type { LoopId } from './ids';

/** What Temporal must know to drive a loop. */
export interface DrivenLoop {
  readonly id: LoopId;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly agentName: string;
}

/** By Describe, never by visibility (R70). `continued` counts as running. */
export type WorkflowState = 'running' | 'not-found' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed-out';

export interface TemporalDriver {
  /** Id (not name) of the namespace that this connection works in (R71). @throws TemporalUnavailable */
  readonly namespaceId: () => Promise<string>;
  /** @throws TemporalUnavailable where Temporal cannot be asked: nothing is guessed then */
  readonly describe: (workflowId: string) => Promise<WorkflowState>;
  /** Starts the workflow by the loop's id alone, or finds it running. @throws TemporalUnavailable */
  readonly start: (loop: DrivenLoop) => Promise<void>;
  /** Signal-with-start of one empty `wake` (R67). @throws TemporalUnavailable */
  readonly wake: (loop: DrivenLoop) => Promise<void>;
  /** Asks for the cancellation of one run (R66). @throws TemporalUnavailable */
  readonly cancel: (workflowId: string, runId: string) => Promise<void>;
}
