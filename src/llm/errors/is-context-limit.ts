/** Tells the refusals that mean: the transcript is too long for this model (R41, P97), from those that only sound like it (P98). */

import type { ErrorFacts } from './read-error-body';

/** Statuses under which a full context is refused: 413 and 500 by some servers, undefined inside a 200. */
const STATUSES: readonly (number | undefined)[] = [400, 413, 422, 500, undefined];

const WORDS: readonly string[] = [
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'model_max_prompt_tokens_exceeded',
  'tokens_limit_reached',
];

/** Limits of rate, which are no matter of length, whatever they say of tokens. */
const RATE_WORDS: readonly string[] = ['rate_limit_exceeded', 'rate_limit_error', 'resource_exhausted'];
const RATE_PHRASE = /tokens per (minute|day|hour)|\bTPM\b|rate limit/i;

const PHRASES: readonly RegExp[] = [
  /maximum context length/i,
  /maximum (prompt|input) length/i,
  /context[_ ](length|window|size|limit)[_ ]?(is |limit |has been )?(exceeded|overflow)/i,
  /reduce the length of the (input )?(messages|prompt)/i,
  /(prompt|input|request|context|conversation) is too long/i,
  /prompt too long/i,
  /exceed(s|ed)? (the |this |your )?(model['’]?s |available |maximum |max )*context/i,
  /exceeds? max(imum)? (prompt |input |context )?length/i,
  /exceeds? (the )?maximum allowed input length/i,
  /input (token count|length)\b.*\b(exceeds?|only supports)/i,
  /prompt (token count|contains|has)\b.*\b(exceed(s|ing)?|too large|too long)/i,
  /(input tokens|total tokens|tokens in (the )?prompt|token length)\b.*\bexceeds?\b/i,
  /exceeds? the maximum number of tokens allowed/i,
  /exceeded model token limit/i,
  /longer than the (model['’]?s )?(maximum )?(context|model) length/i,
  /greater than (the context length|max_seq_len)/i,
  /context window exceeds limit/i,
  /context the overflows|context overflow/i,
  /tokens in the prompt cannot exceed/i,
  /range of input length should be/i,
  /inputs`? must have less than \d+ tokens/i,
  /request body too large\b.*\btokens/i,
  /inputs` tokens \+ `max_new_tokens` must be/i,
];

export function isContextLimit(facts: ErrorFacts): boolean {
  if (!STATUSES.includes(facts.status)) return false;
  if (facts.words.some((word) => WORDS.includes(word))) return true;
  if (facts.words.some((word) => RATE_WORDS.includes(word)) || RATE_PHRASE.test(facts.text)) return false;
  return PHRASES.some((phrase) => phrase.test(facts.text)) && !isAboutOneField(facts);
}

/** A name or id that is too long is a fault of the request's form (P98). */
const isAboutOneField = (facts: ErrorFacts): boolean => /string too long|tool name|function name/i.test(facts.message);
