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
  const reported = {
    prompt: readPrompt(raw),
    completion: firstCount(raw.completion_tokens, raw.output_tokens),
    total: firstCount(raw.total_tokens),
  };
  const reasoning = readReasoning(raw);
  const cached = readCached(raw);
  const counts = settle(reported, { reasoning: reasoning ?? 0, cache: (cached ?? 0) + readCacheWrites(raw) });
  return { ...counts, promptCached: cached === null || counts.prompt === null ? cached : Math.min(cached, counts.prompt), reasoning };
}

/** Tokens that were written to the provider's cache, which some charge apart; 0 where it says nothing. */
export function readCacheWrites(raw: unknown): number {
  if (!isObject(raw)) return 0;
  const { cache_write_tokens: written, cache_creation_tokens: created } = objectAt(raw, 'prompt_tokens_details');
  return firstCount(written, created, raw.cache_creation_input_tokens) ?? 0;
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

type Counts = Pick<TokenUsage, 'prompt' | 'completion' | 'total'>;

/**
 * Of the three any two tell the third. What a total has beyond its parts was written too, as thoughts that nobody counted (P113),
 * unless it is just what came from the cache; a total below its parts is none.
 */
function settle(
  { prompt, completion, total }: Counts,
  { reasoning, cache }: { readonly reasoning: number; readonly cache: number },
): Counts {
  if (prompt === null || completion === null)
    return { prompt: prompt ?? difference(total, completion), completion: completion ?? difference(total, prompt), total };
  const beyond = difference(total, prompt + completion);
  if (total === null || beyond === null) {
    const written = reasoning > completion ? completion + reasoning : completion;
    return { prompt, completion: written, total: prompt + written };
  }
  return beyond > 0 && beyond === cache && beyond !== reasoning
    ? { prompt: prompt + cache, completion, total }
    : { prompt, completion: completion + beyond, total };
}

const difference = (total: number | null, part: number | null): number | null =>
  total === null || part === null || total < part ? null : total - part;

function firstCount(...candidates: readonly unknown[]): number | null {
  for (const candidate of candidates) {
    const count = typeof candidate === 'string' && candidate.trim() !== '' ? Number(candidate) : candidate;
    if (typeof count === 'number' && Number.isFinite(count) && count >= 0 && count <= COUNT_MAXIMUM) return Math.round(count);
  }
  return null;
}
