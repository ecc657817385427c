/** Reads values out of JSON that somebody else wrote, without trusting its shape. */

export type ForeignObject = Readonly<Record<string, unknown>>;

/** True for a JSON object; false for null, arrays and scalars. */
export const isObject = (value: unknown): value is ForeignObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object under `key`, or an empty one. */
export function objectAt(value: unknown, key: string): ForeignObject {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

/** A text that is not blank, or undefined. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

/** The parsed JSON, or undefined where the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
