/** Branded ids and numbers. A bigint of Postgres is a decimal string everywhere in this code, in Temporal and in JSON. */

type Brand<Name extends string> = string & { readonly __brand: Name };

export type LoopId = Brand<'LoopId'>;
export type MessageId = Brand<'MessageId'>;
export type ToolCallId = Brand<'ToolCallId'>;
export type EventId = Brand<'EventId'>;

/** The loop's fencing number: it rises with each claim, pause, resume, stop, freeze and failure. Compared for equality only. */
export type Generation = Brand<'Generation'>;

/** The fencing number of one tool call. */
export type ClaimNumber = Brand<'ClaimNumber'>;

const BIGINT_ID = /^[1-9]\d{0,18}$/;

/** True where the text can be a bigint id of a row. */
export function isRowId(value: unknown): value is string {
  return typeof value === 'string' && BIGINT_ID.test(value);
}

/** The one way from a database value or a foreign text to a branded id. The caller has checked it, or has it from a row. */
export function toId<Id extends string>(value: string | number | bigint): Id {
  return String(value) as Id;
}
