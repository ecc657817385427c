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
  /** An operator resets the workflow to its first task, while the step is at its point. */
  | { readonly kind: 'reset-workflow' };

export type ModelFault = 'hang' | 'die' | 'die-in-answer' | 'overloaded';
export const MODEL_FAULTS: readonly ModelFault[] = ['hang', 'die', 'die-in-answer', 'overloaded'];

/** What a person does. `pause` and `freeze` are taken back after a while; `reopen` waits for the loop's end. */
export const CHAOS_CONTROLS = [
  ...(['pause', 'pause-after-step', 'steer', 'interrupt', 'freeze', 'stop', 'stop-after-step'] as const),
  ...(['steer-by-signal', 'pause-by-signal', 'cancel-in-temporal'] as const),
] as const;
export type ChaosControl = (typeof CHAOS_CONTROLS)[number];

export interface ChaosPlace {
  readonly loop: number;
  readonly point: FaultPoint;
  readonly nth: number;
}

export interface ChaosLoop {
  readonly agent: 'worker' | 'layered';
  readonly isReopened: boolean;
}

export interface ChaosPlan {
  readonly seed: number;
  readonly loops: readonly ChaosLoop[];
  readonly strikes: readonly { readonly place: ChaosPlace; readonly strike: Strike }[];
  /** By the number of the COMMIT, over all workers. */
  readonly commits: ReadonlyMap<number, CommitFault>;
  readonly model: readonly { readonly loop: number; readonly isSecondTurn: boolean; readonly fault: ModelFault }[];
  readonly controls: readonly { readonly place: ChaosPlace; readonly control: ChaosControl; readonly backAfterMs: number }[];
}

export interface ChaosSize {
  readonly seed: number;
  readonly loops: number;
  readonly faults: number;
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
/** Of 100 faults; what is left are slow steps. */
const SHARES = { commits: 54, model: 14, kill: 3, zombie: 3, cuts: 12, refusals: 3, resets: 3 } as const;
const CONTROLLED_SHARE = 0.5;
const REOPENED_SHARE = 0.15;

export function planChaos({ seed, loops: loopCount, faults }: ChaosSize): ChaosPlan {
  const random = createRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
  const times = (share: number): readonly undefined[] => Array.from({ length: Math.round((faults * share) / 100) });
  const place = (): ChaosPlace => ({ loop: below(loopCount), point: pick(COMMON_POINTS), nth: 1 });
  const strikes = (share: number, strike: () => Strike) => times(share).map(() => ({ place: place(), strike: strike() }));
  const { commits, model, ...struck } = SHARES;
  const rest = 100 - Object.values(SHARES).reduce((sum, share) => sum + share, 0);

  return {
    seed,
    loops: Array.from({ length: loopCount }, () => ({
      agent: random() < 0.3 ? 'layered' : 'worker',
      isReopened: random() < REOPENED_SHARE,
    })),
    strikes: [
      ...strikes(struck.kill, () => ({ kind: 'kill' })),
      ...strikes(struck.zombie, () => ({ kind: 'zombie', forMs: 4_500 + below(3_000) })),
      ...strikes(struck.cuts, () => ({ kind: random() < 0.7 ? 'cut-postgres' : 'cut-temporal' })),
      ...strikes(struck.refusals, () => ({ kind: random() < 0.5 ? 'refuse-postgres' : 'refuse-temporal', forMs: 200 + below(1_800) })),
      ...strikes(struck.resets, () => ({ kind: 'reset-workflow' })),
      ...strikes(rest, () => ({ kind: 'slow', forMs: 50 + below(500) })),
    ],
    commits: new Map(times(commits).map(() => [below(loopCount * COMMITS_A_LOOP), pick(COMMIT_FAULTS)])),
    model: times(model).map(() => ({ loop: below(loopCount), isSecondTurn: random() < 0.5, fault: pick(MODEL_FAULTS) })),
    controls: Array.from({ length: Math.round(loopCount * CONTROLLED_SHARE) }, () => ({
      place: place(),
      control: pick(CHAOS_CONTROLS),
      backAfterMs: below(1_500),
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
