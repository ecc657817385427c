/** What a loop is: its statuses and the values that cross the layers. */

import type { Generation, LoopId } from './ids';

export const LOOP_STATUSES = ['init', 'queued', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type LoopStatus = (typeof LOOP_STATUSES)[number];

export const TERMINAL_STATUSES = ['completed', 'failed', 'cancelled'] as const;
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

export const isTerminal = (status: LoopStatus): status is TerminalStatus => (TERMINAL_STATUSES as readonly LoopStatus[]).includes(status);

/** Any JSON value, as it is stored in a jsonb column. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
// An interface with an index signature: a type alias of a record would refer to itself.
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** The host's record that a loop is about. */
export interface Subject {
  readonly type: string;
  readonly id: string;
}

/**
 * Bounds of a whole loop, checked at each claim of a turn (R45). An absent bound is no bound, but `steps` has a default.
 * `costUsd` is an exact decimal string. `durationSeconds` is wall time without pauses.
 */
export interface LoopLimits {
  /** @default 100 */
  readonly steps?: number;
  readonly tokens?: number;
  readonly costUsd?: string;
  readonly durationSeconds?: number;
}

/** Sums over a loop's turns and tool calls (R5). Seconds are decimals; cost is an exact decimal string in USD. */
export interface LoopCounters {
  readonly steps: number;
  readonly tokensPrompt: number;
  readonly tokensCompletion: number;
  readonly tokensTotal: number;
  readonly tokensPromptCached: number;
  readonly durationGeneration: number;
  readonly durationTools: number;
  readonly cost: string;
  readonly costDiscarded: string;
  readonly costKnown: boolean;
}

/** A loop as agents, hooks, tools and clients see it. */
export interface Loop {
  readonly id: LoopId;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly agentName: string;
  readonly title: string | null;
  readonly subject: Subject | null;
  readonly state: JsonObject;
  readonly status: LoopStatus;
  readonly statusChangedAt: Date;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly generation: Generation;
  readonly turnNumber: number;
  readonly turnFailures: number;
  readonly adminFrozen: boolean;
  readonly observeEnabled: boolean;
  readonly limits: LoopLimits;
  readonly counters: LoopCounters;
  readonly parentLoopId: LoopId | null;
  /** Of the agent when the loop was first opened; null before that. */
  readonly definitionHash: string | null;
  /** W3C trace context of the start, where the host traces. */
  readonly traceParent: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
