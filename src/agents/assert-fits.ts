/** Strict checks of what users give: the first fault, with what it belongs to, the field, the value, and what to do. */

import type { z } from 'zod';
import { SolidLoopError } from '../domain/errors';

/** Fields whose values never enter an error's text. */
const SECRET_FIELDS = new Set(['apiKey', 'headers']);
const SHOWN_VALUE_LIMIT_CHARS = 60;

/**
 * `what` names the thing in the error: `agent "librarian"`.
 * @throws ConfigError
 */
export function assertFits(what: string, schema: z.ZodType, value: unknown): void {
  const result = schema.safeParse(value, { error: sentenceFor });
  const issue = result.error?.issues[0];
  if (issue === undefined) return;
  const field = issue.path.map(String).join('.');
  const subject = field === '' ? what : `${what}: ${field}`;
  const given = issue.code === 'unrecognized_keys' ? '' : formatGiven(issue.path, value);
  throw new SolidLoopError('ConfigError', `${subject} ${issue.message}${given}`, { field: field === '' ? what : field });
}

/** Zod's own words for types and unknown keys, in the voice of our errors. Other messages are given with the schema. */
function sentenceFor(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${withArticle(issue.expected)}`;
    case 'unrecognized_keys':
      return `has no field ${issue.keys.map((key) => `"${key}"`).join(', ')}${knownFieldsOf(issue.inst)}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    default:
      return undefined;
  }
}

const withArticle = (noun: string): string => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`);

function knownFieldsOf(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null || !('shape' in schema)) return '';
  return `; the fields are: ${Object.keys(schema.shape as object).join(', ')}`;
}

function formatGiven(path: readonly PropertyKey[], whole: unknown): string {
  const value = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    whole,
  );
  if (value === undefined) return '';
  return path.some((key) => SECRET_FIELDS.has(String(key))) ? '; its value is not shown' : `; got ${formatValue(value)}`;
}

function formatValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_VALUE_LIMIT_CHARS ? `${text.slice(0, SHOWN_VALUE_LIMIT_CHARS)}…` : text;
}
