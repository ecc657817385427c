/** Reads the tokens that a provider reported, wherever it put them (P110-P113). */

import { UNKNOWN_USAGE, type TokenUsage } from '../../domain/usage';
import { isObject, objectAt, type ForeignObject } from '../foreign-json';

/** The largest count that the tables can hold. */
const COUNT_MAXIMUM = 2_147_483_647;

/**
 * The usage object of a response, of chat completions, Responses or Anthropic's shape.
 * Unknown counts are null; reasoning tokens are always inside `completion` (P113).
 */
export function readUsage(raw: unknown): TokenUsage {
  if (!isObject(raw)) return UNKNOWN_USAGE;
  const prompt = readPrompt(raw);
  const reportedCompletion = firstCount(raw.completion_tokens, raw.output_tokens);
  const total = firstCount(raw.total_tokens);
  const reasoning = readReasoning(raw);
  const completion = withReasoningInside({ prompt, completion: reportedCompletion, total, reasoning });
  const cached = readCached(raw);
  return {
    prompt,
    completion,
    total: total ?? (prompt === null || completion === null ? null : prompt + completion),
    promptCached: cached === null || prompt === null ? cached : Math.min(cached, prompt),
    reasoning,
  };
}

/** Tokens that were written to the provider's cache, which some charge apart; 0 where it says nothing. */
export function readCacheWrites(raw: unknown): number {
  if (!isObject(raw)) return 0;
  return firstCount(objectAt(raw, 'prompt_tokens_details').cache_write_tokens, raw.cache_creation_input_tokens) ?? 0;
}

/** Anthropic's own shape keeps cached tokens beside its input tokens, everybody else's inside. */
function readPrompt(raw: ForeignObject): number | null {
  const prompt = firstCount(raw.prompt_tokens);
  if (prompt !== null) return prompt;
  const input = firstCount(raw.input_tokens);
  if (input === null) return null;
  return input + (firstCount(raw.cache_read_input_tokens) ?? 0) + (firstCount(raw.cache_creation_input_tokens) ?? 0);
}

function readCached(raw: ForeignObject): number | null {
  return firstCount(
    objectAt(raw, 'prompt_tokens_details').cached_tokens,
    objectAt(raw, 'input_tokens_details').cached_tokens,
    raw.prompt_cache_hit_tokens,
    raw.cache_read_input_tokens,
    raw.cached_tokens,
  );
}

function readReasoning(raw: ForeignObject): number | null {
  return firstCount(
    objectAt(raw, 'completion_tokens_details').reasoning_tokens,
    objectAt(raw, 'output_tokens_details').reasoning_tokens,
    raw.reasoning_tokens,
  );
}

/** The total tells on which side the reasoning was counted; more reasoning than output is outside in any case. */
function withReasoningInside(counts: Omit<TokenUsage, 'promptCached'>): number | null {
  const { prompt, completion, total, reasoning } = counts;
  if (completion === null || reasoning === null) return completion;
  const isOutside = total !== null && prompt !== null ? total === prompt + completion + reasoning : reasoning > completion;
  return isOutside ? completion + reasoning : completion;
}

function firstCount(...candidates: readonly unknown[]): number | null {
  for (const candidate of candidates) {
    const count = typeof candidate === 'string' && candidate.trim() !== '' ? Number(candidate) : candidate;
    if (typeof count === 'number' && Number.isFinite(count) && count >= 0 && count <= COUNT_MAXIMUM) return Math.round(count);
  }
  return null;
}
