/** Makes text fit to be sent: neither NUL nor half of a surrogate pair (P82). */

const LONE_SURROGATE = /\p{Surrogate}/gu;
const ESCAPED_NUL_OR_SURROGATE = /\\u(0000|d[89a-f][0-9a-f]{2})/i;

/** Each NUL and lone surrogate becomes U+FFFD. */
export const cleanText = (text: string): string => text.replaceAll('\0', '\uFFFD').replace(LONE_SURROGATE, '\uFFFD');

/** True where JSON text holds, written as escapes, what `cleanText` would replace. */
export const hasUncleanEscapes = (json: string): boolean => ESCAPED_NUL_OR_SURROGATE.test(json);

/** `cleanText` for each string of a JSON value. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [cleanText(key), cleanJson(entry)]));
}

/** The first characters, at most `length` UTF-16 units, never half of one. */
export const headOf = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
