/** The one place that decides what a provider's error means: come again (when), the end, or a full context (R41, R46). */

import type { FallbackReason } from '../../agents/agent';
import type { ErrorCode } from '../../domain/errors';
import { messageOf } from '../../domain/errors';
import { formatProviderError } from './format-provider-error';
import { isContextLimit } from './is-context-limit';
import { networkCauseOf } from './network-cause';
import { isProviderError, type ProviderError } from './provider-error';
import { readErrorBody, type ErrorFacts } from './read-error-body';
import { readRetryHint } from './read-retry-hint';

/** `message` is for people. `reason` names the class for fallback models. */
export type Classification =
  | { readonly kind: 'retryable'; readonly reason: FallbackReason; readonly message: string; readonly retryAfterMs?: number }
  | { readonly kind: 'final'; readonly reason?: FallbackReason; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'context-limit'; readonly reason: 'context-limit'; readonly message: string };

export interface ClassifyOptions {
  /** Wall clock, milliseconds since 1970: some hints are dates. */
  readonly now: number;
  /** Longest wait that a hint may ask for; over it the error is final. Milliseconds. @default no bound */
  readonly hintMaximumMs?: number;
}

/** A wait up to this long speaks of a rate, whatever else the text says of quotas (P101). */
const SHORT_HINT_MS = 3_600_000;

const QUOTA_WORDS: readonly string[] = [
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'insufficient_balance',
  'credit_balance_too_low',
  'exceeded_current_quota_error',
  'insufficient_user_quota',
  'budget_exceeded',
];
const QUOTA_PHRASE =
  /exceeded your current quota|insufficient (balance|credits?|funds)|credit balance|(out of|run out of|no) credits?|credits? (are )?(exhausted|depleted)|budget has been exceeded|余额不足|payment required|billing (hard )?limit|usage limit|spending limit|key limit exceeded|quota exceeded/i;
const FILTER_WORDS: readonly string[] = [
  'content_filter',
  'content_policy_violation',
  'responsibleaipolicyviolation',
  'data_inspection_failed',
  'invalid_prompt',
];
const FILTER_PHRASE = /content management policy|content filter|content policy|\bwas flagged\b|flagged (by|for) (moderation|our)|敏感内容/i;
/** Some gateways tell a rate under a status of a refusal. 413 is not among them: that request alone is over the limit (P98). */
const RATE_STATUSES: readonly number[] = [400, 403];
const RATE_WORDS: readonly string[] = ['rate_limit_exceeded', 'rate_limit_error', 'ratelimitexceeded'];
const OVER_RATE_ALONE = /request too large\b.*\btokens per/i;
const OVERLOADED_WORDS: readonly string[] = [
  'overloaded_error',
  'engine_overloaded_error',
  'unavailable',
  'service_unavailable',
  'slow_down',
];
const OVERLOADED_STATUSES: readonly number[] = [498, 503, 529];
/** Nothing was acted upon; 499 is a gateway whose connection to the server behind it was closed. */
const RETRYABLE_STATUSES: readonly number[] = [409, 425, 499];
const TIMEOUT_STATUSES: readonly number[] = [408, 504, 524];

/** Undefined: not an error of a provider or of the way to it. */
export function classifyProviderError(error: unknown, options: ClassifyOptions): Classification | undefined {
  if (isProviderError(error)) return classify(error, options);
  const cause = networkCauseOf(error);
  return cause === undefined ? undefined : classifyConnection(cause, messageOf(error));
}

function classify(error: ProviderError, options: ClassifyOptions): Classification {
  const facts = readErrorBody(error);
  const message = formatProviderError(error, facts);
  if (isContextLimit(facts)) return { kind: 'context-limit', reason: 'context-limit', message };
  if (error.kind === 'network') return classifyConnection(networkCauseOf(error) ?? 'lost', message);
  if (error.kind === 'timeout') return { kind: 'retryable', reason: 'timeout', message };
  // No API answer at this address, or more of one than can be kept: the same request brings the same.
  if (error.kind === 'protocol' || (error.kind !== 'http' && facts.isHtml)) return final(message);
  return byWords(error, facts, { ...options, message }) ?? byStatus(error, facts, { ...options, message });
}

interface Verdict extends ClassifyOptions {
  readonly message: string;
}

function classifyConnection(cause: ReturnType<typeof networkCauseOf>, message: string): Classification {
  if (cause === 'misconfigured') return final(`${message} (check the base URL and its certificate)`);
  return { kind: 'retryable', reason: cause === 'timeout' ? 'timeout' : 'server-error', message };
}

/** Refusals that the status alone does not tell. */
function byWords(error: ProviderError, facts: ErrorFacts, verdict: Verdict): Classification | undefined {
  const isRefusal = facts.status === undefined || facts.status < 500;
  if (isRefusal && (hasWord(facts, FILTER_WORDS) || FILTER_PHRASE.test(facts.text))) return final(verdict.message, 'content-filter');
  if (facts.status === 402 || (isRefusal && hasWord(facts, QUOTA_WORDS))) return final(verdict.message, 'quota');
  if (isRefusal && QUOTA_PHRASE.test(`${facts.text} ${facts.words.join(' ').replaceAll('_', ' ')}`))
    return quotaOrRate(error, facts, verdict);
  return undefined;
}

/** The word quota alone does not decide: a short wait means a rate (P101). */
function quotaOrRate(error: ProviderError, facts: ErrorFacts, verdict: Verdict): Classification {
  const hint = facts.status === 429 || facts.status === undefined ? readRetryHint(error, facts, verdict.now) : undefined;
  return hint !== undefined && hint <= SHORT_HINT_MS ? retryable('rate-limit', hint, verdict) : final(verdict.message, 'quota');
}

function byStatus(error: ProviderError, facts: ErrorFacts, verdict: Verdict): Classification {
  const { status } = facts;
  const hint = readRetryHint(error, facts, verdict.now);
  // Inside a 200, a fault without a class is the server's: nothing was acted upon.
  if (status === undefined) return retryable(hasWord(facts, OVERLOADED_WORDS) ? 'overloaded' : 'server-error', hint, verdict);
  if (status === 429 && OVER_RATE_ALONE.test(facts.text)) return final(verdict.message, 'rate-limit');
  if (status === 429 || (RATE_STATUSES.includes(status) && hasWord(facts, RATE_WORDS))) return retryable('rate-limit', hint, verdict);
  if (OVERLOADED_STATUSES.includes(status) || hasWord(facts, OVERLOADED_WORDS)) return retryable('overloaded', hint, verdict);
  if (TIMEOUT_STATUSES.includes(status)) return retryable('timeout', hint, verdict);
  if (status >= 500 || RETRYABLE_STATUSES.includes(status)) return retryable('server-error', hint, verdict);
  return final(verdict.message, status === 404 || status === 410 ? 'not-found' : undefined);
}

const hasWord = (facts: ErrorFacts, words: readonly string[]): boolean => facts.words.some((word) => words.includes(word));

function final(message: string, reason?: FallbackReason): Classification {
  return { kind: 'final', code: 'ProviderFinal', message, ...(reason === undefined ? {} : { reason }) };
}

function retryable(reason: FallbackReason, hintMs: number | undefined, { message, now, hintMaximumMs }: Verdict): Classification {
  if (hintMs === undefined) return { kind: 'retryable', reason, message };
  if (hintMaximumMs !== undefined && hintMs > hintMaximumMs) {
    const until = new Date(Math.min(now + hintMs, MOMENT_MAXIMUM_MS)).toISOString();
    return final(
      `${message} (the provider asks to wait until ${until}, longer than providerRetryHintMaximum: ${hintMaximumMs / 1000} s)`,
      reason,
    );
  }
  return { kind: 'retryable', reason, message, retryAfterMs: hintMs };
}

/** The latest moment that a Date can hold. */
const MOMENT_MAXIMUM_MS = 8.64e15;
