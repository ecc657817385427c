/** A schedule of faults and controls, made from a seed alone: the same seed is the same schedule. */

import type { FaultPoint } from '../../../src/domain/fault-points';
import { COMMIT_FAULTS, type CommitFault } from '../../../src/testing/faults/postgres-proxy';

/** What happens to the process, or to its connections, that comes to a point. Milliseconds. */
export type Strike =
  | { readonly kind: 'kill' }
  | { readonly kind: 'zombie'; readonly forMs: number }
  | { readonly kind: 'slow'; readonly forMs: number }
  | { readonly kind: 'cut-postgres' }
  | { readonly kind: 'refuse-postgres'; readonly forMs: number }
  | { readonly kind: 'cut-temporal' }
  | { readonly kind: 'refuse-temporal'; readonly forMs: number }
  /** SIGTERM, as of a deploy: another worker takes over. */
  | { readonly kind: 'terminate' }
  /** An operator resets the workflow to its first task, while the step is at its point. */
  | { readonly kind: 'reset-workflow' }
  /** An operator resets the activity that is at its point. */
  | { readonly kind: 'reset-activity' }
  /** An operator pauses the activity that is at its point, and lets it go on after a while. */
  | { readonly kind: 'pause-activity'; readonly forMs: number }
  | Outage;

/** Of the servers themselves: for a run that has servers of its own. */
export type Outage = { readonly kind: 'crash-postgres' } | { readonly kind: 'restart-temporal' };

/** `refused` ends the loop as failed; it is retried. */
export const MODEL_FAULTS = ['hang', 'die', 'die-in-answer', 'overloaded', 'refused'] as const;
export type ModelFault = (typeof MODEL_FAULTS)[number];

/** What a person does. What puts a loop to rest is taken back after a while; `reopen` and `retry` wait for the loop's end. */
export const CHAOS_CONTROLS = [
  ...(['pause', 'pause-after-step', 'steer', 'interrupt', 'freeze', 'stop', 'stop-after-step'] as const),
  /** Several messages at once; a message that is withdrawn at once; the next attempt without the rest of its back-off. */
  ...(['steer-burst', 'steer-and-withdraw', 'retry-now'] as const),
  ...(['steer-by-signal', 'pause-by-signal', 'cancel-in-temporal'] as const),
] as const;
/** Left to the reconciler: planned only where one runs. */
export type ChaosControl = (typeof CHAOS_CONTROLS)[number] | 'terminate-in-temporal';

export interface ChaosPlace {
  readonly loop: number;
  readonly point: FaultPoint;
  readonly nth: number;
}

export const CHAOS_AGENTS = ['worker', 'layered', 'sequential', 'parent', 'hooked'] as const;

export interface ChaosLoop {
  readonly agent: (typeof CHAOS_AGENTS)[number];
  readonly isReopened: boolean;
}

export interface PlannedControl {
  readonly place: ChaosPlace;
  readonly control: ChaosControl;
  /** Of a loop that it put to rest: resumed after so long, and its calls are given up there. */
  readonly backAfterMs: number;
  readonly skipCalls: boolean;
}

export interface ChaosPlan {
  readonly seed: number;
  /** Two at once, each second: loops may be terminated in Temporal, and a wake that is lost in an outage is sent again. */
  readonly hasReconcilers: boolean;
  readonly loops: readonly ChaosLoop[];
  readonly strikes: readonly { readonly place: ChaosPlace; readonly strike: Strike }[];
  /** By the number of the COMMIT, over all workers. */
  readonly commits: ReadonlyMap<number, CommitFault>;
  readonly model: readonly { readonly loop: number; readonly isSecondTurn: boolean; readonly fault: ModelFault }[];
  readonly controls: readonly PlannedControl[];
}

export interface ChaosSize {
  readonly seed: number;
  readonly loops: number;
  readonly faults: number;
  /** Crashes of Postgres and restarts of Temporal, over the faults. @default none */
  readonly outages?: number;
}

/** A step's points that every loop comes to. */
const COMMON_POINTS: readonly FaultPoint[] = [
  ...([
    'open:before',
    'open:after',
    'turn:before-claim',
    'turn:after-claim',
    'turn:after-load',
    'turn:in-call',
    'turn:before-commit',
  ] as const),
  ...(['turn:after-commit', 'turn:after-hooks', 'call:before-claim', 'call:after-claim', 'call:before-body', 'call:after-body'] as const),
  ...(['call:after-respond', 'call:after-hooks'] as const),
];
/** A loop without faults commits about so often. */
const COMMITS_A_LOOP = 20;
const outage = (index: number): Outage => ({ kind: index % 2 === 0 ? 'crash-postgres' : 'restart-temporal' });
/** Of 100 faults; what is left are slow steps. */
const SHARES = { commits: 50, model: 14, kill: 3, terminate: 2, zombie: 3, cuts: 12, refusals: 3, resets: 3, activities: 4 } as const;
const CONTROLLED_SHARE = 0.5;
const REOPENED_SHARE = 0.15;
const SKIPPED_SHARE = 0.3;
const RECONCILED_SHARE = 0.5;

export function planChaos({ seed, loops: loopCount, faults, outages = 0 }: ChaosSize): ChaosPlan {
  const random = createRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
  const times = (share: number): readonly undefined[] => Array.from({ length: Math.round((faults * share) / 100) });
  const place = (): ChaosPlace => ({ loop: below(loopCount), point: pick(COMMON_POINTS), nth: 1 });
  const strikes = (share: number, strike: () => Strike) => times(share).map(() => ({ place: place(), strike: strike() }));
  const { commits, model, ...struck } = SHARES;
  const hasReconcilers = random() < RECONCILED_SHARE || outages > 0;
  const controls: readonly ChaosControl[] = hasReconcilers ? [...CHAOS_CONTROLS, 'terminate-in-temporal'] : CHAOS_CONTROLS;
  const rest = 100 - Object.values(SHARES).reduce((sum, share) => sum + share, 0);

  return {
    seed,
    hasReconcilers,
    loops: Array.from({ length: loopCount }, () => ({
      agent: pick(CHAOS_AGENTS),
      isReopened: random() < REOPENED_SHARE,
    })),
    strikes: [
      ...strikes(struck.kill, () => ({ kind: 'kill' })),
      ...strikes(struck.terminate, () => ({ kind: 'terminate' })),
      ...strikes(struck.zombie, () => ({ kind: 'zombie', forMs: 4_500 + below(3_000) })),
      ...strikes(struck.cuts, () => ({ kind: random() < 0.7 ? 'cut-postgres' : 'cut-temporal' })),
      ...strikes(struck.refusals, () => ({ kind: random() < 0.5 ? 'refuse-postgres' : 'refuse-temporal', forMs: 200 + below(1_800) })),
      ...strikes(struck.resets, () => ({ kind: 'reset-workflow' })),
      ...strikes(struck.activities, () => (random() < 0.5 ? { kind: 'reset-activity' } : { kind: 'pause-activity', forMs: below(1_500) })),
      ...strikes(rest, () => ({ kind: 'slow', forMs: 50 + below(500) })),
      ...Array.from({ length: outages }, (_, index) => ({ place: place(), strike: outage(index) })),
    ],
    commits: new Map(times(commits).map(() => [below(loopCount * COMMITS_A_LOOP), pick(COMMIT_FAULTS)])),
    model: times(model).map(() => ({ loop: below(loopCount), isSecondTurn: random() < 0.5, fault: pick(MODEL_FAULTS) })),
    controls: Array.from({ length: Math.round(loopCount * CONTROLLED_SHARE) }, () => ({
      place: place(),
      control: pick(controls),
      backAfterMs: below(1_500),
      skipCalls: random() < SKIPPED_SHARE,
    })),
  };
}

/** Mulberry32: the same numbers everywhere, from 0 up to 1. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
