/** Finds the error that a provider put where an answer should be: inside a 200, in the middle of a stream, in a list (P10, P11). */

import { parseJson } from '../foreign-json';
import { isRecord, nonEmptyString, toList, type UnknownRecord } from './json-values';

export interface BodyError {
  /** `error.message`, else the `error` text, `message`, `detail`, the raw text: the first that says something. */
  readonly message: string;
  /** The code, where it is an HTTP status of an error. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly type: string | undefined;
  /** All of it, as JSON. */
  readonly body: string;
}

/** Undefined where the value is no error. */
export function findErrorInBody(value: unknown): BodyError | undefined {
  for (const entry of toList(value)) {
    if (isRecord(entry) && isError(entry)) return toBodyError(entry);
  }
  return undefined;
}

/** Finds it in lines that some servers write into a stream without the `data` field, or under a field `error` of their own (P10). */
export function findStrayError(lines: string): BodyError | undefined {
  const [, field, text = ''] = /^\s*(error:)?([\s\S]*)/.exec(lines) ?? [];
  const value = parseJson(text);
  return field !== undefined && isRecord(value) ? toBodyError(value) : findErrorInBody(value);
}

/** Reads a value that is known to be an error, whatever its shape. */
export function toBodyError(value: unknown): BodyError {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  const entry = toList(value).find(isRecord);
  if (entry === undefined) return { message: body, status: undefined, code: undefined, type: undefined, body };
  const inner = innerError(entry);
  const code = codeOf(inner.code) ?? codeOf(inner.status_code) ?? codeOf(entry.code) ?? codeOf(inner.status);
  return {
    message: messageIn(inner) ?? messageIn(entry) ?? body,
    status: toErrorStatus(code),
    code,
    type: nonEmptyString(inner.type) ?? nonEmptyString(entry.type),
    body,
  };
}

function isError(entry: UnknownRecord): boolean {
  if (saysSomething(entry.error) || saysSomething(toList(entry.errors)[0]) || entry.object === 'error' || entry.type === 'error')
    return true;
  const choices = toList(entry.choices);
  if (choices.some((choice) => isRecord(choice) && isRecord(choice.error))) return true;
  if (isRecord(entry.base_resp) && Boolean(entry.base_resp.status_code)) return true;
  return entry.choices === undefined && isFlatError(entry);
}

/** Null, an empty text and an object of nothing but those say that there is no error. */
function saysSomething(error: unknown): boolean {
  return isRecord(error) ? Object.values(error).some(Boolean) : Boolean(error);
}

/** A message with a code or a type, and no answer beside it. */
function isFlatError(entry: UnknownRecord): boolean {
  if (entry.usage !== undefined) return false;
  if (entry.detail !== undefined) return true;
  const hasMessage = nonEmptyString(entry.message) !== undefined || nonEmptyString(entry.msg) !== undefined;
  return hasMessage && ['code', 'type', 'status', 'error_code', 'success'].some((field) => entry[field] !== undefined);
}

function innerError(entry: UnknownRecord): UnknownRecord {
  if (isRecord(entry.error)) return entry.error;
  const [listed] = toList(entry.errors);
  if (isRecord(listed)) return listed;
  if (typeof entry.error === 'string') return { ...entry, message: entry.error };
  const ofChoice = toList(entry.choices).find((choice) => isRecord(choice) && isRecord(choice.error));
  if (isRecord(ofChoice) && isRecord(ofChoice.error)) return ofChoice.error;
  return isRecord(entry.base_resp) ? entry.base_resp : entry;
}

function messageIn(entry: UnknownRecord): string | undefined {
  const detail = entry.detail;
  return (
    nonEmptyString(entry.message) ??
    nonEmptyString(entry.detail) ??
    nonEmptyString(entry.msg) ??
    nonEmptyString(entry.status_msg) ??
    (detail === undefined || detail === null ? undefined : JSON.stringify(detail))
  );
}

function codeOf(value: unknown): string | undefined {
  return typeof value === 'number' && value !== 0 ? String(value) : nonEmptyString(value);
}

function toErrorStatus(code: string | undefined): number | undefined {
  return code !== undefined && /^[45]\d\d$/.test(code) ? Number(code) : undefined;
}
