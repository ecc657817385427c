/** Makes foreign text fit for Postgres: it keeps neither NUL nor half of a surrogate pair (P82). */

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Each NUL and lone surrogate becomes U+FFFD; all else stays. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').replace(LONE_SURROGATE, '\uFFFD');
}

/** `cleanText`, but nothing stays nothing. */
export function cleanTextOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : cleanText(text);
}

/** Cleans each string of a JSON value, keys too. Anything that is no string, array or plain object stays as it is. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (value === null || typeof value !== 'object' || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [cleanText(key), cleanJson(entry)]));
}
