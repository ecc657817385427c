/** What a turn cost: tokens as the provider reported them, timings as we measured them (R35, R36, P110-P116). */

/** Null: the provider did not say. Finite numbers only. `completion` includes `reasoning`. */
export interface TokenUsage {
  readonly prompt: number | null;
  readonly completion: number | null;
  readonly total: number | null;
  readonly promptCached: number | null;
  readonly reasoning: number | null;
}

export const UNKNOWN_USAGE: TokenUsage = { prompt: null, completion: null, total: null, promptCached: null, reasoning: null };

/** Exact decimal in USD, at most ten places. `isKnown` false: no price was known and the amount is "0". */
export interface Cost {
  readonly amountUsd: string;
  readonly isKnown: boolean;
}

/** What one request, or several, used and cost. */
export interface Spend {
  readonly usage: TokenUsage;
  readonly cost: Cost;
}

/** Seconds. Null where it does not apply (no token came). */
export interface TurnTimings {
  readonly timeToFirstToken: number | null;
  readonly thinking: number | null;
  readonly generation: number;
  readonly tokensPerSecond: number | null;
}
