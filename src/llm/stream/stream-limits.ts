/** How much of one response is kept in memory, at most. An endless stream ends in a clear error and not in a dead worker. */

/** Longest single event, and longest body that is one JSON value. Characters. */
export const EVENT_LIMIT_CHARS = 16_000_000;

/** Longest answer: all text, reasoning, arguments and unknown fields that are kept. Characters. */
export const ANSWER_LIMIT_CHARS = 32_000_000;

/** Start of a body that is no API answer, kept for its error message. Characters. */
export const BODY_HEAD_LIMIT_CHARS = 2_000;

/** A limit that a stream went over. The reader gives it its place in the errors of providers. */
export class StreamLimitError extends Error {
  constructor(what: string, limitChars: number) {
    super(`${what} is longer than ${limitChars} characters; the response was given up`);
    this.name = 'StreamLimitError';
  }
}
