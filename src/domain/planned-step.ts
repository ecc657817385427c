/** A next step with what only the agent knows: what crosses into the workflow. Ids, numbers and names; never content. */

import type { ToolCallId, Generation, LoopId } from './ids';
import type { TerminalStatus } from './loop';

/** Options of one activity. Seconds. `taskQueue` absent: the workflow's own queue. */
export interface StepOptions {
  readonly startToCloseSeconds: number;
  readonly heartbeatSeconds: number;
  readonly taskQueue?: string;
  /** Shown in Temporal UI: "turn 7 · gpt-5", "search_web". */
  readonly summary: string;
}

export interface PlannedCall {
  readonly id: ToolCallId;
  readonly name: string;
  readonly options: StepOptions;
}

export type PlannedStep =
  | {
      readonly kind: 'turn';
      readonly turnNumber: number;
      readonly generation: Generation;
      readonly options: StepOptions;
      readonly isWantedAnew: boolean;
    }
  | {
      readonly kind: 'tools';
      readonly turnNumber: number;
      readonly generation: Generation;
      /** How many calls may run at one time: 1 for a sequential agent. */
      readonly parallel: number;
      readonly calls: readonly PlannedCall[];
    }
  | { readonly kind: 'wait'; readonly reason: 'paused' | 'frozen'; readonly generation: Generation; readonly by?: string }
  | { readonly kind: 'done'; readonly status: TerminalStatus; readonly generation: Generation; readonly code?: string };

/** Answer of `openLoop`. */
export interface OpenedLoop {
  readonly loopId: LoopId;
  readonly agent: string;
  readonly upsertSearchAttributes: boolean;
  /** Length of history at which this run hands over to a new one. */
  readonly continueAsNewEvents: number;
  readonly subject?: string;
  /** Somebody wants to know when the loop has ended. */
  readonly notifiesFinish?: true;
  readonly next: PlannedStep;
}

/** How one tool call's activity ended. `next` is set by the call that answered the last unresolved one. */
export interface SettledCall {
  readonly kind: 'answered' | 'superseded';
  readonly next?: PlannedStep;
}

/** Answer of the workflow. */
export interface LoopResult {
  readonly loopId: LoopId;
  readonly status: TerminalStatus;
}
