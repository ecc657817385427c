/** What the reconciler is given, and what it counts. */

import type { LoopId } from '../../domain/ids';
import type { EngineSettings } from '../../domain/settings';

export interface ReconcileOptions {
  /** Id of Temporal's namespace, not its name. */
  readonly namespaceId: string;
  readonly settings: Pick<EngineSettings, 'queuedReapThreshold'>;
  /** Counts what would be done, and writes nothing. */
  readonly dryRun: boolean;
  /** What becomes of a loop whose workflow a person terminated (R72). @default 'pause' */
  readonly onTerminated?: 'pause' | 'restart';
  /** Runs the hooks that a loop's messages have not had (R47). Absent: none are looked for. */
  readonly hooks?: { readonly agents: readonly string[]; readonly finish: (loopId: LoopId) => Promise<void> };
  /** Tells of ends that were not told. Absent: none are looked for. */
  readonly finishes?: { readonly agents: readonly string[]; readonly tell: (loopId: LoopId) => Promise<boolean> };
  /** Called as it goes: a place for a heartbeat. */
  readonly onProgress?: () => void;
  readonly signal?: AbortSignal;
}

export const RECONCILE_CASES = [
  /** The workflow was gone: started again. */
  'workflowsStarted',
  /** A person terminated the workflow: the loop is paused (R72). */
  'loopsPaused',
  /** The workflow closed again and again without a committed turn: the loop failed (R72). */
  'loopsFailed',
  /** A change from outside that no workflow has read: the wake was sent again (R67). */
  'wakesSent',
  /** Loops at rest with the shell of a turn: failed and hidden. */
  'shellsFailed',
  /** Loops at rest with an expired lease of a call: cleared. */
  'leasesCleared',
  /** Loops with messages whose hook had not run. */
  'hooksFinished',
  /** Ends of loops that were not told yet: told now. */
  'finishesTold',
  /** Live loops of another namespace: left alone, see `adopt` (R71). */
  'foreignLoops',
  /** 1: Temporal could not be asked, and nothing was done from there on. */
  'temporalUnavailable',
] as const;
export type ReconcileCase = (typeof RECONCILE_CASES)[number];
export type ReconcileCounts = Readonly<Record<ReconcileCase, number>>;

/** Adds up while a run goes on. */
export class ReconcileTally {
  readonly #counts = Object.fromEntries(RECONCILE_CASES.map((name) => [name, 0])) as Record<ReconcileCase, number>;

  add(name: ReconcileCase, amount = 1): void {
    this.#counts[name] += amount;
  }

  get counts(): ReconcileCounts {
    return { ...this.#counts };
  }
}
