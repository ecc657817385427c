/** What the wire log keeps of a request (R43). Failures of the log are logged, never the turn's. */

import type { JsonObject } from './loop';

export const WIRE_KINDS = ['llm-request', 'mcp-request', 'tool-call'] as const;
export type WireKind = (typeof WIRE_KINDS)[number];

/** Begins the `error` of a call that this side ended (a pause, a stop, a shutdown): no fault of the one who was called. */
export const CUT_OFF = 'cut off: ';

export interface WireRequest {
  readonly kind: WireKind;
  readonly name: string;
  readonly method: string;
  readonly url: string;
  /**
   * The body in the order of its keys, its array of messages (`messages`, or `input`) left empty at its place: `{ model, messages: [], tools }`.
   * So the log can give the request back byte for byte.
   */
  readonly parameters: JsonObject;
  /** The messages that belong there: each is stored once by its hash. Empty for other kinds. */
  readonly messages: readonly unknown[];
  readonly headers: Readonly<Record<string, string>>;
}

export interface WireOutcome {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly response?: unknown;
  readonly error?: string;
  readonly durationSeconds: number;
}

export interface WireRecorder {
  /** Written before the call; the returned function completes it after. */
  readonly start: (request: WireRequest) => Promise<(outcome: WireOutcome) => Promise<void>>;
}
