/** The kinds of fields that definitions are made of, each with the sentence that says what it must be. */

import { z } from 'zod';

export const anyFunction = z.custom<(...given: never[]) => unknown>((value) => typeof value === 'function', 'must be a function');

export const positiveInteger = z.custom<number>(
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
  'must be a positive whole number',
);

export const positiveSeconds = z.custom<number>(
  (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
  'must be a positive number of seconds',
);

export const nonEmptyText = z.custom<string>((value) => typeof value === 'string' && value.trim() !== '', 'must be text that is not empty');

export const decimalText = z.custom<string>(
  (value) => typeof value === 'string' && /^\d{1,5}(\.\d{1,10})?$/.test(value),
  'must be an exact decimal as text, such as "2.50", with at most five digits before the point and ten after it',
);

export const httpUrl = z.custom<string>((value) => typeof value === 'string' && isHttpUrl(value), 'must be an http or https url');

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

export const httpHeaders = z.custom<Readonly<Record<string, string>>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([name, text]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && isHeaderValue(text)),
  'must be an object of header names and texts without line breaks',
);

const isHeaderValue = (text: unknown): boolean => typeof text === 'string' && !/[\r\n\0]/.test(text);

/** Letters, digits, `_`, `-`, `.`; at most 64 characters. */
export const plainName = z.custom<string>(
  (value) => typeof value === 'string' && /^[\w.-]{1,64}$/.test(value),
  'must be 1 to 64 letters, digits, "_", "-" or "."',
);

/** Any printable name: what a provider refuses is encoded for it (R83). */
export const toolName = z.custom<string>(
  (value) => typeof value === 'string' && /^[^\u0000-\u001f\u007f]{1,128}$/.test(value) && value.trim() === value,
  'must be 1 to 128 printable characters without blanks at its ends',
);
