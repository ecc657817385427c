/** What the engine counts: a port, so that activities know no metrics library. */

import type { Cost, TokenUsage } from '../domain/usage';

/** A step of a loop that Temporal runs as one activity. */
export type StepKind = 'turn' | 'tool';

export interface CommittedTurn {
  readonly agent: string;
  readonly model: string;
  readonly usage: TokenUsage;
  readonly cost: Cost;
}

export interface ProviderCall {
  readonly model: string;
  /** Absent: it was answered. */
  readonly errorClass?: string;
  readonly seconds: number;
}

/** Calls never throw and never wait. */
export interface EngineMetrics {
  /** An attempt begins; the function that comes back ends it, with the code of its failure if it failed. */
  readonly stepStarted: (kind: StepKind, queuedSeconds: number) => (failure?: string) => void;
  /** An attempt took over what an earlier one held and never reported. */
  readonly tookOver: (kind: StepKind) => void;
  readonly turnCommitted: (turn: CommittedTurn) => void;
  readonly providerCalled: (call: ProviderCall) => void;
  /** The event loop stood still for so long. */
  readonly stalled: (seconds: number) => void;
}

export const NO_METRICS: EngineMetrics = {
  stepStarted: () => () => undefined,
  tookOver: () => undefined,
  turnCommitted: () => undefined,
  providerCalled: () => undefined,
  stalled: () => undefined,
};
