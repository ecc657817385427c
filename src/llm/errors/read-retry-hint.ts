/** Reads when a provider wants to be asked again (P100). */

import { isObject, objectAt, textOf } from '../foreign-json';
import type { ProviderError } from './provider-error';
import type { ErrorFacts } from './read-error-body';

const SECOND_MS = 1000;
/** Larger numbers are moments since 1970, in seconds or milliseconds. */
const EPOCH_SECONDS_MINIMUM = 1_000_000_000;
const EPOCH_MS_MINIMUM = 1_000_000_000_000;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: SECOND_MS, m: 60 * SECOND_MS, h: 3600 * SECOND_MS, d: 86_400 * SECOND_MS };
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/;
const DURATION_PART = /(\d+(?:\.\d+)?)(ms|[dhms])/g;
const HINT_IN_TEXT =
  /(?:try again|retry|wait)(?:\s+\w+){0,3}?\s+((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|[smh])\s*)+)/i;

/** Milliseconds from now, above 0; undefined where there is no hint, or none that can be meant. */
export function readRetryHint(error: ProviderError, facts: ErrorFacts, now: number): number | undefined {
  const candidates = [
    () => plainNumber(error.headers['retry-after-ms']),
    () => retryAfter(error.headers['retry-after'], now),
    () => retryDelay(facts),
    () => secondsOf(facts.error.resets_in_seconds ?? facts.error.retry_after),
    () => hintInText(facts.message),
    () => resetMoment(objectAt(objectAt(facts.error, 'metadata'), 'headers'), now),
    () => resetDurations(error.headers, { now, isRateLimit: facts.status === 429 }),
  ];
  for (const candidate of candidates) {
    const milliseconds = candidate();
    if (milliseconds !== undefined && milliseconds > 0) return Math.ceil(milliseconds);
  }
  return undefined;
}

function plainNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

/** Seconds or a date. */
function retryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const seconds = plainNumber(text);
  if (seconds !== undefined) return seconds * SECOND_MS;
  // A date has letters; `-5` is one to Date.parse, but no hint.
  const moment = /[a-z]{3}/i.test(text) || /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment - now;
}

/** Google's `details[].retryDelay`, a duration. */
function retryDelay(facts: ErrorFacts): number | undefined {
  const { details } = facts.error;
  if (!Array.isArray(details)) return undefined;
  const delays = details.map((detail) => (isObject(detail) ? durationOf(detail.retryDelay) : undefined));
  return delays.find((delay) => delay !== undefined);
}

function secondsOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value * SECOND_MS : undefined;
}

function hintInText(message: string): number | undefined {
  const found = HINT_IN_TEXT.exec(message)?.[1];
  if (found === undefined) return undefined;
  const compact = found
    .replace(/\s+/g, '')
    .replace(/milliseconds?/gi, 'ms')
    .replace(/seconds?|secs?/gi, 's')
    .replace(/minutes?|mins?/gi, 'm')
    .replace(/hours?/gi, 'h');
  return durationOf(compact.toLowerCase());
}

function durationOf(value: unknown): number | undefined {
  const text = textOf(value);
  if (text === undefined || !DURATION.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) milliseconds += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  return milliseconds;
}

/** A gateway's `X-RateLimit-Reset`: a moment, in milliseconds or seconds since 1970. */
function resetMoment(headers: Readonly<Record<string, unknown>>, now: number): number | undefined {
  const entry = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-ratelimit-reset');
  return entry === undefined ? undefined : momentOrDuration(String(entry[1]), now);
}

/** Each answer tells several limits' resets: of those that are used up the latest counts, or, under a 429, of all where none says that it is. */
function resetDurations(
  headers: Readonly<Record<string, string>>,
  { now, isRateLimit }: { readonly now: number; readonly isRateLimit: boolean },
): number | undefined {
  const resets = Object.entries(headers)
    .filter(([name]) => /^(x-|anthropic-)?ratelimit-(.*-)?reset/.test(name))
    .map(([name, value]) => ({ isSpent: headers[name.replace('reset', 'remaining')]?.trim() === '0', wait: momentOrDuration(value, now) }))
    .filter((reset) => reset.wait !== undefined);
  const spent = resets.filter((reset) => reset.isSpent);
  const waits = (spent.length > 0 || !isRateLimit ? spent : resets).map((reset) => reset.wait ?? 0);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function momentOrDuration(text: string, now: number): number | undefined {
  const number = plainNumber(text);
  if (number === undefined) return durationOf(text.trim()) ?? retryAfter(text, now);
  if (number >= EPOCH_MS_MINIMUM) return number - now;
  if (number >= EPOCH_SECONDS_MINIMUM) return number * SECOND_MS - now;
  return number * SECOND_MS;
}
