/** Reads what a provider says went wrong, in whatever shape it says it (P10, P11, P97, P103, P104). */

import { isObject, objectAt, parseJson, textOf, type ForeignObject } from '../foreign-json';
import type { ProviderError } from './provider-error';

export interface ErrorFacts {
  /** The HTTP status; for an error inside a 200, the status that its code, type or status word stands for. */
  readonly status: number | undefined;
  /** The provider's sentence; those of the provider behind it too. Empty where there is none. */
  readonly message: string;
  /** All that the body says in words, wherever it stands; what it gives back of the request is left out. */
  readonly text: string;
  /** Codes, types and status words, in lower case. */
  readonly words: readonly string[];
  /** The error object, for what only some providers send. */
  readonly error: ForeignObject;
  readonly isHtml: boolean;
}

/** Statuses that a provider gives as a word where it has no number. */
const STATUS_BY_WORD: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_argument: 400,
  failed_precondition: 400,
  context_length_exceeded: 400,
  content_filter: 400,
  tool_use_failed: 400,
  authentication_error: 401,
  unauthenticated: 401,
  invalid_api_key: 401,
  permission_error: 403,
  permission_denied: 403,
  not_found_error: 404,
  not_found: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  resource_exhausted: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  internal: 500,
  internal_server_error: 500,
  unavailable: 503,
  service_unavailable: 503,
  deadline_exceeded: 504,
  timeout_error: 504,
  overloaded_error: 529,
  engine_overloaded_error: 529,
};

/** Fields that hold a sentence, or what holds one further in. */
const SENTENCE_FIELD = /message|msg|error|detail|reason|description|title|fault|metadata|^raw$|base_resp/i;
const SENTENCE_DEPTH_MAXIMUM = 8;

const HTML_START = /^\s*(<!doctype html|<html|<head|<body)/i;
/** Where a body was cut, its sentence can still be read. */
const MESSAGE_IN_CUT_JSON = /"(?:message|detail|error)"\s*:\s*"((?:[^"\\]|\\.)*)/;

export function readErrorBody(error: ProviderError): ErrorFacts {
  const parsed = parseJson(error.body);
  const body = firstWithError(parsed);
  const inner = innermost(body);
  const sentences = sentencesIn(parsed);
  const words = [error.providerCode, error.providerType, ...wordsOf(body), ...wordsOf(inner), ...wordsOf(objectAt(inner, 'innererror'))]
    .filter((word) => word !== undefined)
    .map((word) => word.toLowerCase());
  const message = messageIn({ error, body, inner, sentences });
  return {
    status: statusOf(error, words),
    message,
    text: [message, ...sentences].join('\n'),
    words: [...new Set(words)],
    error: inner,
    isHtml: HTML_START.test(error.body) || (error.headers['content-type'] ?? '').includes('text/html'),
  };
}

/** Some bodies are lists: the first entry with an error is the answer (P104). */
function firstWithError(body: unknown): ForeignObject {
  if (isObject(body)) return body;
  if (!Array.isArray(body)) return {};
  const entries = body.filter(isObject);
  return entries.find((entry) => entry.error !== undefined) ?? entries[0] ?? {};
}

/** Errors come wrapped once, twice or not at all. */
function innermost(body: ForeignObject): ForeignObject {
  if (!isObject(body.error)) return body;
  return isObject(body.error.error) ? body.error.error : body.error;
}

function sentencesIn(value: unknown, depth = 0): readonly string[] {
  if (depth > SENTENCE_DEPTH_MAXIMUM) return [];
  if (typeof value === 'string') return sentencesOf(value, depth);
  if (Array.isArray(value)) return value.flatMap((entry) => sentencesIn(entry, depth + 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([field, entry]) => (SENTENCE_FIELD.test(field) ? sentencesIn(entry, depth + 1) : []));
}

/** A gateway puts the body of the provider behind it into a text. */
function sentencesOf(text: string, depth: number): readonly string[] {
  const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  return parsed === undefined ? [text] : sentencesIn(parsed, depth + 1);
}

function wordsOf(error: ForeignObject): readonly string[] {
  return [error.code, error.type, error.status].filter((value) => typeof value === 'string' || typeof value === 'number').map(String);
}

function statusOf(error: ProviderError, words: readonly string[]): number | undefined {
  if (error.kind === 'http') return error.status;
  const isErrorStatus = (status: number): boolean => Number.isInteger(status) && status >= 400 && status <= 599;
  if (error.status !== undefined && isErrorStatus(error.status)) return error.status;
  return words.map(Number).find(isErrorStatus) ?? words.map((word) => STATUS_BY_WORD[word]).find((status) => status !== undefined);
}

interface MessageSource {
  readonly error: ProviderError;
  readonly body: ForeignObject;
  readonly inner: ForeignObject;
  readonly sentences: readonly string[];
}

/** The order of P11, then the text as it is; beside it what the provider behind a gateway said (P97). */
function messageIn({ error, body, inner, sentences }: MessageSource): string {
  const own =
    textOf(inner.message) ??
    textOf(body.error) ??
    textOf(body.message) ??
    textOf(body.Message) ??
    detailOf(body.detail) ??
    sentences[0] ??
    textOf(inner.code) ??
    fromCutJson(error.body);
  const message = own ?? (Object.keys(body).length === 0 ? plainText(error.body) : '');
  const behind = messageBehind(objectAt(inner, 'metadata').raw);
  return behind === undefined ? message : `${message}: ${behind}`;
}

function detailOf(detail: unknown): string | undefined {
  if (Array.isArray(detail)) return textOf(detail.map((entry) => textOf(isObject(entry) ? entry.msg : entry) ?? '').join('; '));
  return textOf(isObject(detail) ? (detail.message ?? detail.msg) : detail);
}

function messageBehind(raw: unknown): string | undefined {
  const text = textOf(raw);
  if (text === undefined) return undefined;
  const parsed = firstWithError(parseJson(text));
  return textOf(innermost(parsed).message) ?? text;
}

function fromCutJson(body: string): string | undefined {
  const found = MESSAGE_IN_CUT_JSON.exec(body)?.[1];
  return found === undefined ? undefined : textOf(parseJson(`"${found}"`));
}

/** A page or a plain text, without tags, on one line. */
export function plainText(body: string): string {
  return body
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/gi, (block) => /<title>([\s\S]*?)<\/title>/i.exec(block)?.[1] ?? ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
