/** What keeps the requests and tokens a minute of a model under its limits, over all workers. */

export interface RateLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

export interface RateGovernor {
  /** Takes a place for one request. Milliseconds to wait before asking again; 0: the place is taken. Nobody waits in here. */
  readonly reserve: (key: string, limits: RateLimits) => Promise<number>;
  /** Counts the tokens of an answer. */
  readonly settle: (key: string, tokens: number) => Promise<void>;
}
