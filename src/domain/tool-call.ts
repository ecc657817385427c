/** What a tool call is, and what its effect means for a second run (R75). */

/** `read` and `idempotent` may run again under the same key; `unsafe` never runs a second time once it started. */
export const TOOL_EFFECTS = ['read', 'idempotent', 'unsafe'] as const;
export type ToolEffect = (typeof TOOL_EFFECTS)[number];

/** The key that a tool may use to recognise a repeat; the same on each attempt (R53). `key` is the call's uuid. */
export const idempotencyKeyOf = (key: string): string => `solid_loop:tool_call:${key}`;

/** Told to the model where an unsafe call started and nobody can say how it ended. */
export const UNKNOWN_OUTCOME_TEXT =
  'The outcome of this call is unknown: it started, but no result was recorded. It may or may not have taken effect. Check before you repeat it.';

/** Told to the model where a call was given up before its body was entered (R68). */
export const NOT_RUN_TEXT = 'This call was not run.';
