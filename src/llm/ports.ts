/** What the LLM side needs of others: a recorder for the wire, a sink for live text, a memory of what a provider refused. */

import type { LiveSink } from '../domain/live-part';
import type { EngineSettings } from '../domain/settings';
import type { WireRecorder } from '../domain/wire';

export type { LivePart, LiveSink } from '../domain/live-part';
export type { WireOutcome, WireRecorder, WireRequest } from '../domain/wire';

/** Fills the hidden shell of the turn (R33). Never throws, never waits; the last text wins. */
export interface ShellSink {
  readonly update: (text: { readonly content: string; readonly reasoning: string }) => void;
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
