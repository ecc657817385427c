/** What the LLM side needs of others: a recorder for the wire, a sink for live text, a memory of what a provider refused. */

import type { JsonObject } from '../domain/loop';
import type { EngineSettings } from '../domain/settings';

/** What a stream shows while it runs (design, live streams). `offset` and loop are added by the sink. */
export type LivePart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-start'; readonly callId: string; readonly name: string; readonly arguments?: string }
  | { readonly type: 'tool-end'; readonly callId: string; readonly name: string; readonly isSuccess: boolean; readonly result?: string }
  | { readonly type: 'status'; readonly status: string }
  | { readonly type: 'cost'; readonly amountUsd: string; readonly isKnown: boolean };

/** Where live parts go. Never throws, never waits. */
export interface LiveSink {
  readonly push: (part: LivePart) => void;
}

/** Fills the hidden shell of the turn (R33). Never throws, never waits; the last text wins. */
export interface ShellSink {
  readonly update: (text: { readonly content: string; readonly reasoning: string }) => void;
}

/** One request in the wire log (R43). Failures of the log are logged, never the turn's. */
export interface WireRequest {
  readonly kind: 'llm-request' | 'mcp-request' | 'tool-call';
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

/** Facts learnt from a provider's refusals, kept by model endpoint in this process (P46, P86, P88). */
export interface ProviderMemory {
  readonly get: (endpoint: string) => Readonly<Record<string, unknown>>;
  readonly learn: (endpoint: string, facts: Readonly<Record<string, unknown>>) => void;
}

/** Waits for a place under a model's requests and tokens a minute; answers milliseconds to wait, 0: go. */
export interface RateGovernor {
  readonly reserve: (key: string, limits: { readonly requestsPerMinute?: number; readonly tokensPerMinute?: number }) => Promise<number>;
  readonly settle: (key: string, tokens: number) => Promise<void>;
}

export interface LlmPorts {
  readonly settings: EngineSettings;
  readonly live: LiveSink;
  readonly shell: ShellSink;
  readonly wire: WireRecorder;
  readonly memory: ProviderMemory;
  readonly rates?: RateGovernor;
  /** Told the phase and progress for the heartbeat's details. */
  readonly onProgress: (phase: 'connecting' | 'waiting-for-first-token' | 'streaming' | 'parsing', progress: number) => void;
  readonly fetch?: typeof fetch;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}
