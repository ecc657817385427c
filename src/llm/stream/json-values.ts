/** Looking at JSON values whose shape nobody promised. */

export type UnknownRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The list itself; one value alone as a list of one; nothing for null and undefined. */
export function toList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Sets a field as JSON means it, also where its name is `__proto__`. */
export function setField(target: UnknownRecord, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else target[key] = value;
}

/** The object's own field of that name: never what its prototype has. */
export function ownField(target: UnknownRecord, key: string): unknown {
  return Object.hasOwn(target, key) ? target[key] : undefined;
}
