/** Strict checks of what people and programs send: each failure names the field, the value's fault and what to do. */

import { SolidLoopError } from './errors';
import type { JsonObject } from './loop';

/** The most that one message may hold. */
export const MESSAGE_LIMIT_BYTES = 1_000_000;
export const KEY_LIMIT_CHARS = 255;
/** Of a name, a reason, a title. */
export const LABEL_LIMIT_CHARS = 2_000;

const LONE_SURROGATE = /\p{Cs}/u;

export type Fields = Readonly<Record<string, unknown>>;

export function invalidInput(field: string, sentence: string): SolidLoopError {
  return new SolidLoopError('InvalidInput', `${field} ${sentence}`, { field });
}

/** @throws InvalidInput */
export function checkFields(value: unknown, where: string, known: readonly string[]): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalidInput(where, `must be an object, and is ${describe(value)}`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidInput(unknown, `is not a field of ${where}; the fields are ${known.join(', ')}`);
  return value as Fields;
}

/** Not empty, not blank, at most 1 MB in UTF-8. @throws InvalidInput */
export function checkMessage(value: unknown, field = 'message'): string {
  if (typeof value !== 'string') throw invalidInput(field, `must be text, and is ${describe(value)}`);
  if (value.trim() === '') throw invalidInput(field, 'is empty; write what the model should read');
  const bytes = byteLength(value);
  if (bytes > MESSAGE_LIMIT_BYTES) {
    throw invalidInput(field, `has ${bytes} bytes, and at most ${MESSAGE_LIMIT_BYTES} are taken; store the content elsewhere and name it`);
  }
  return value;
}

/** A key of a request or a start: 1 to 255 characters. @throws InvalidInput */
export function checkKey(value: unknown, field = 'key'): string {
  if (typeof value !== 'string' || value === '' || value.length > KEY_LIMIT_CHARS || value.includes('\0') || LONE_SURROGATE.test(value)) {
    throw invalidInput(field, `must be text of 1 to ${KEY_LIMIT_CHARS} characters; it names this request, and a repeat carries the same`);
  }
  return value;
}

/** Short text that people read. @throws InvalidInput */
export function checkLabel(value: unknown, field: string, limitChars = LABEL_LIMIT_CHARS): string {
  if (typeof value !== 'string') throw invalidInput(field, `must be text, and is ${describe(value)}`);
  if (value.length > limitChars) throw invalidInput(field, `has ${value.length} characters, and at most ${limitChars} are taken`);
  return value;
}

/** @throws InvalidInput */
export function checkBoolean(value: unknown, field: string): boolean {
  if (typeof value !== 'boolean') throw invalidInput(field, `must be true or false, and is ${describe(value)}`);
  return value;
}

/** @throws InvalidInput */
export function checkOneOf<Value extends string>(value: unknown, field: string, values: readonly Value[]): Value {
  const found = values.find((known) => known === value);
  if (found === undefined) throw invalidInput(field, `must be one of ${values.join(', ')}, and is ${describe(value)}`);
  return found;
}

/** @throws InvalidInput */
export function checkJsonObject(value: unknown, field: string): JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalidInput(field, `must be a JSON object, and is ${describe(value)}`);
  return value as JsonObject;
}

/** An optional field: absent stays absent, so that it can be spread. */
export function optional<Name extends string, Value>(
  fields: Fields,
  name: Name,
  check: (value: unknown, field: Name) => Value,
): Readonly<Partial<Record<Name, Value>>> {
  const value = fields[name];
  const present = value === undefined ? {} : { [name]: check(value, name) };
  return present as Readonly<Partial<Record<Name, Value>>>;
}

export const byteLength = (text: string): number => new TextEncoder().encode(text).length;

function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? `"${value.slice(0, 40)}"` : `a ${typeof value}`;
}
