/** A provider's answer as it was read: merged, its unknown fields kept, nothing judged yet. */

import type { UnknownRecord } from './json-values';

/** When things were first seen. Milliseconds of the clock that was passed in. */
export interface StreamMarks {
  readonly start: number;
  /** First content, reasoning or call. */
  readonly firstToken: number | undefined;
  /** First content or call, so that thoughts can be told from it. */
  readonly firstContent: number | undefined;
  readonly end: number;
}

export interface RawAnswer {
  /**
   * OpenAI's assistant message: `role`, `content` (null where there is none, thoughts taken out), `reasoning_content` (all reasoning, once),
   * `tool_calls` in order (an `id` may be missing), `refusal`, and every other field as it was merged.
   */
  readonly message: UnknownRecord;
  /** The last one of choice 0 that was not empty; undefined where only `[DONE]` ended it. */
  readonly finishReason: string | undefined;
  /** The last one that was not null, as it came. */
  readonly usage: UnknownRecord | undefined;
  /** The model that the provider named. */
  readonly model: string | undefined;
  /** The other fields of the body and of choice 0: `id`, `system_fingerprint`, `provider`, `logprobs` … */
  readonly rest: UnknownRecord;
  /** True where the content is a thought that never ended, shown since it is all there is (P50). */
  readonly isOpenThought: boolean;
  /** Parts of content that are neither text nor thoughts, by type. */
  readonly ignoredParts: Readonly<Record<string, number>>;
  readonly marks: StreamMarks;
}

/** True where there is nothing in it: no text, no thought, no call, no refusal (P14). */
export function isEmptyAnswer(answer: RawAnswer): boolean {
  const { content, reasoning_content: reasoning, tool_calls: calls, refusal } = answer.message;
  return !content && !reasoning && !refusal && !(Array.isArray(calls) && calls.length > 0);
}
