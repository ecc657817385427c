/** What "why is it not moving" is answered from: the loop's rows, and what Temporal says of its workflow. */

import type { Generation, LoopId } from '../domain/ids';
import type { LoopStatus } from '../domain/loop';

export interface WhyFacts {
  /** The database's time at the reading. */
  readonly now: Date;
  readonly loop: LoopSituation;
  readonly temporal: TemporalSituation;
}

export interface LoopSituation {
  readonly id: LoopId;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly agentName: string;
  readonly status: LoopStatus;
  readonly statusChangedAt: Date;
  readonly generation: Generation;
  readonly turnNumber: number;
  readonly turnFailures: number;
  readonly lostAttempts: number;
  readonly lastPhase: string | null;
  readonly leaseExpiresAt: Date | null;
  readonly renewedAt: Date | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly requested: 'pause' | 'stop' | null;
  readonly requestedBy: string | null;
  readonly wakeDueAt: Date | null;
  readonly pausedBy: string | null;
  readonly pausedReason: string | null;
  readonly unknownSince: Date | null;
  readonly isFrozen: boolean;
  readonly frozenBy: string | null;
  readonly frozenReason: string | null;
  readonly frozenAt: Date | null;
  /** Messages that wait for the next turn. */
  readonly waitingMessages: number;
  readonly unresolvedCalls: readonly CallSituation[];
  /** The last call of a model or a server that failed; one that was cut off from this side did not. */
  readonly lastError: { readonly status: number | null; readonly error: string | null; readonly at: Date } | null;
  /** The last signal or other request that was refused (R69). */
  readonly lastRefusal: { readonly kind: string; readonly error: string | null; readonly at: Date } | null;
}

export interface CallSituation {
  readonly id: string;
  readonly name: string;
  readonly startedAt: Date | null;
  readonly renewedAt: Date | null;
  readonly isExecuted: boolean;
}

export type TemporalSituation =
  | { readonly kind: 'unreachable'; readonly reason: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'closed'; readonly status: string }
  | {
      readonly kind: 'open';
      readonly activities: readonly ActivitySituation[];
      readonly workflowTask: WorkflowTaskSituation | null;
      readonly pollers: Pollers;
    };

export interface ActivitySituation {
  readonly id: string;
  readonly type: string;
  readonly state: 'scheduled' | 'started' | 'cancel-requested' | 'paused';
  readonly attempt: number;
  /** When the next attempt may start. */
  readonly nextAttemptAt: Date | null;
  readonly lastHeartbeatAt: Date | null;
  readonly startedAt: Date | null;
  readonly worker: string | null;
  /** Code and words of the failure before this attempt. No content: Temporal never has any. */
  readonly lastFailure: { readonly type: string; readonly message: string } | null;
}

export interface WorkflowTaskSituation {
  readonly attempt: number;
  /** Since when it waits for a worker; null where one has it. */
  readonly waitingSince: Date | null;
  /** Null where none was recorded. */
  readonly failure: string | null;
}

/** Workers heard of within the last minute, by kind of task. */
export interface Pollers {
  readonly workflow: number;
  readonly activity: number;
}
