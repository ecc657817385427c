/** What the LLM side needs of others: a recorder for the wire, a sink for live text, a memory of what a provider refused. */

import type { Agent } from '../agents/agent';
import type { OfferedTool } from '../agents/middleware';
import type { LiveSink } from '../domain/live-part';
import type { Loop } from '../domain/loop';
import type { RateGovernor } from '../domain/rate-governor';
import type { EngineSettings } from '../domain/settings';
import type { WireRecorder } from '../domain/wire';
import type { Logger } from '../util/logger';
import type { EndpointClients } from './network/endpoint-clients';
import type { SchemaChecks } from './parsing/schema-checks';

export type { LivePart, LiveSink } from '../domain/live-part';
export type { RateGovernor } from '../domain/rate-governor';
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

/** The tools of the agent's MCP servers (R80). @throws McpUnreachable, which comes again */
export type McpToolSource = (of: {
  readonly agent: Agent;
  readonly loop: Loop;
  readonly signal: AbortSignal;
}) => Promise<readonly Omit<OfferedTool, 'exposedName'>[]>;

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
  /** Milliseconds since 1970, for hints that are dates. @default Date.now */
  readonly wallClock?: () => number;
  /** Kept by the process, so that connections outlive a turn. @default clients of this turn alone */
  readonly clients?: EndpointClients;
  /** Kept by the process, so that each schema is compiled once. @default checks of this turn alone */
  readonly schemas?: SchemaChecks;
  readonly mcpTools?: McpToolSource;
  /** Leaves the secrets out of a text. @default leaves it as it is */
  readonly redact?: (text: string, secrets: readonly string[]) => string;
  /** @default says nothing */
  readonly logger?: Logger;
}
