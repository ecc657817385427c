/** Reads when a provider wants to be asked again (P100). */

import { isObject, objectAt, parseJson, textOf } from '../foreign-json';
import type { ProviderError } from './provider-error';
import type { ErrorFacts } from './read-error-body';

const SECOND_MS = 1000;
/** Larger numbers are moments since 1970, in seconds or milliseconds. */
const EPOCH_SECONDS_MINIMUM = 1_000_000_000;
const EPOCH_MS_MINIMUM = 1_000_000_000_000;

/** Seconds, durations, or moments; `estimated_time` is that of a model that is loading. */
const HINT_FIELDS: readonly string[] = ['resets_in_seconds', 'retry_after', 'retry_after_seconds', 'resets_at', 'estimated_time'];

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: SECOND_MS, m: 60 * SECOND_MS, h: 3600 * SECOND_MS, d: 86_400 * SECOND_MS };
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/;
const DURATION_PART = /(\d+(?:\.\d+)?)(ms|[dhms])/g;
/** The drafts of one header for all limits: `limit=10, remaining=0, reset=13`, `"default";r=0;t=14`. */
const DRAFT_RESET = /\b(?:reset|t)=(\d+)/;
const DRAFT_SPENT = /\b(?:remaining|r)=0\b/;
const HINT_IN_TEXT =
  /(?:try again|retry|wait|resets?)(?:\s+\w+){0,3}?\s+((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|[smh])\s*)+)/i;

/** Milliseconds from now, above 0; undefined where there is no hint, or none that can be meant. */
export function readRetryHint(error: ProviderError, facts: ErrorFacts, now: number): number | undefined {
  const candidates = [
    () => plainNumber(error.headers['retry-after-ms']),
    () => momentOrDuration(error.headers['retry-after'], now),
    () => retryDelay(facts),
    () => hintInFields(error, facts, now),
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

/** `{ seconds: "9", nanos: 500000000 }`. */
function protobufDuration(value: unknown): number | undefined {
  if (!isObject(value)) return undefined;
  const milliseconds = Number(value.seconds ?? 0) * SECOND_MS + Number(value.nanos ?? 0) / 1e6;
  return Number.isFinite(milliseconds) ? milliseconds : undefined;
}

function dateOf(text: string, now: number): number | undefined {
  // A date has letters; `-5` is one to Date.parse, but no hint.
  const moment = /[a-z]{3}/i.test(text) || /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment - now;
}

/** Google's `details[].retryDelay`, a duration. */
function retryDelay(facts: ErrorFacts): number | undefined {
  const { details } = facts.error;
  if (!Array.isArray(details)) return undefined;
  const delays = details.map((detail) =>
    isObject(detail) ? (durationOf(detail.retryDelay) ?? protobufDuration(detail.retryDelay)) : undefined,
  );
  return delays.find((delay) => delay !== undefined);
}

/** Fields of the error, of its metadata, or beside it. */
function hintInFields(error: ProviderError, facts: ErrorFacts, now: number): number | undefined {
  const beside = parseJson(error.body);
  for (const fields of [facts.error, objectAt(facts.error, 'metadata'), isObject(beside) ? beside : {}]) {
    const milliseconds = amountOf(fields.retry_after_ms);
    if (milliseconds !== undefined) return Number(milliseconds);
    const wait = HINT_FIELDS.map((field) => momentOrDuration(amountOf(fields[field]), now)).find((found) => found !== undefined);
    if (wait !== undefined) return wait;
  }
  return undefined;
}

const amountOf = (value: unknown): string | undefined => (typeof value === 'number' && value > 0 ? String(value) : textOf(value));

function hintInText(message: string): number | undefined {
  return durationOf(HINT_IN_TEXT.exec(message)?.[1]);
}

/** `1m30.5s`, `450ms`, `10 seconds`. */
function durationOf(value: unknown): number | undefined {
  const text = compactDuration(textOf(value) ?? '');
  if (!DURATION.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) milliseconds += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  return milliseconds;
}

const compactDuration = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\s+/g, '')
    .replace(/milliseconds?/g, 'ms')
    .replace(/seconds?|secs?/g, 's')
    .replace(/minutes?|mins?/g, 'm')
    .replace(/hours?/g, 'h');

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
    .filter(([name]) => /^(x-|anthropic-)?rate-?limit-(.*-)?reset/.test(name))
    .map(([name, value]) => ({ isSpent: headers[name.replace('reset', 'remaining')]?.trim() === '0', wait: momentOrDuration(value, now) }))
    .filter((reset) => reset.wait !== undefined);
  const draft = DRAFT_RESET.exec(headers.ratelimit ?? '')?.[1];
  if (draft !== undefined) resets.push({ isSpent: DRAFT_SPENT.test(headers.ratelimit ?? ''), wait: momentOrDuration(draft, now) });
  const spent = resets.filter((reset) => reset.isSpent);
  const waits = (spent.length > 0 || !isRateLimit ? spent : resets).map((reset) => reset.wait ?? 0);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** Seconds, a duration, a date, or a moment since 1970; of a header that was sent twice the first. */
function momentOrDuration(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const number = plainNumber(/^[\d.]+(?=,)/.exec(text)?.[0] ?? text);
  if (number === undefined) return durationOf(text) ?? dateOf(text, now);
  if (number >= EPOCH_MS_MINIMUM) return number - now;
  if (number >= EPOCH_SECONDS_MINIMUM) return number * SECOND_MS - now;
  return number * SECOND_MS;
}
