/** What a user writes to define an agent, and what the engine holds of it. An agent's code runs in activities only. */

import type { Loop, LoopLimits } from '../domain/loop';
import type { MessageId } from '../domain/ids';
import type { TranscriptMessage } from '../domain/message';
import type { LlmStack, ToolStack } from './middleware';
import type { ToolDefinition } from './tool';

/** The provider's own words, added to the body of each request as they are (temperature, max_tokens, reasoning_effort …). */
export type RequestParameters = Readonly<Record<string, unknown>>;

/** Prices in USD for one million tokens, exact decimal strings. */
export interface ModelPrice {
  readonly inputPerMillion: string;
  readonly outputPerMillion: string;
  /** @default inputPerMillion */
  readonly cachedInputPerMillion?: string;
}

/** One model at one endpoint. */
export interface ModelSettings {
  /** The name the provider knows it by. */
  readonly name: string;
  /** Where `/chat/completions` is appended, nothing put in between (R84). @default https://api.openai.com/v1 */
  readonly baseURL?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default 'chat' */
  readonly api?: 'chat' | 'responses' | 'ai-sdk';
  /** With `api: 'ai-sdk'`: any language model of a Vercel AI SDK provider (specification v2 or newer). */
  readonly languageModel?: unknown;
  /** Longest wait for the next byte. Seconds. @default settings.defaultReadTimeout */
  readonly readTimeoutSeconds?: number;
  /** @default settings.firstTokenTimeout */
  readonly firstTokenTimeoutSeconds?: number;
  /** @default settings.progressTimeout */
  readonly progressTimeoutSeconds?: number;
  /** @default true */
  readonly stream?: boolean;
  readonly parameters?: RequestParameters;
  readonly price?: ModelPrice;
  /** Tokens of its context window, where the agent has a strategy for a full one. */
  readonly contextWindow?: number;
  /** True where the model takes images. @default false */
  readonly vision?: boolean;
  /** Quirks of a provider family that neither host nor model name tell. */
  readonly quirks?: Partial<ProviderQuirks>;
  /** Requests and tokens a minute over all workers, by `rateKey`. */
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** @default base url and name */
  readonly rateKey?: string;
}

/** What differs between provider families in a request (provider cases, section F). */
export interface ProviderQuirks {
  /** Send `stream_options.include_usage`. @default true */
  readonly streamUsage: boolean;
  /** Content of an assistant message that has calls only. @default 'null' */
  readonly emptyContent: 'null' | 'empty-string';
  /** Send reasoning back: never, with messages that have calls, or as opaque details. @default 'never' */
  readonly replayReasoning: 'never' | 'with-calls';
  /** Replay opaque extras (signatures, reasoning_details). @default by family */
  readonly replayExtras: boolean;
  /** An assistant message must stand between a tool and a user message. @default false */
  readonly assistantAfterTool: boolean;
  /** Definitions must be sent for the calls of the history even where the agent has no tools. @default false */
  readonly toolsForHistory: boolean;
  /** Shape of call ids that the provider accepts. @default 'any' */
  readonly callIds: 'any' | 'nine-alphanumeric';
}

export type ModelChoice = ModelSettings | ((context: AgentContext) => ModelSettings | Promise<ModelSettings>);

export interface AgentContext {
  readonly loop: Loop;
}

/** Classes of provider errors on which a fallback model may take over. */
export type FallbackReason =
  'rate-limit' | 'overloaded' | 'quota' | 'server-error' | 'timeout' | 'content-filter' | 'context-limit' | 'not-found';

export interface FallbackModel {
  readonly model: ModelSettings;
  /** @default ['overloaded', 'server-error', 'timeout', 'quota'] */
  readonly on?: readonly FallbackReason[];
}

/** A server of MCP tools that an agent uses (R80). Connections are made by the part that speaks MCP. */
export interface McpServer {
  readonly name: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly timeoutSeconds?: number;
  readonly allow?: readonly string[];
  /** In-process toolset or custom transport. */
  readonly toolset?: unknown;
  readonly transport?: unknown;
}

/** A new canonical message, as a hook sees it. Runs at least once for each message; `messageId` is the key (R47). */
export interface MessageCreatedEvent {
  readonly loop: Loop;
  readonly message: TranscriptMessage;
  readonly messageId: MessageId;
}

/** The end of a loop, as a hook sees it: completed, failed or cancelled. Told at least once. */
export interface LoopFinishedEvent {
  readonly loop: Loop;
  /** The last answer's text, if there is one. */
  readonly answer: string | null;
  /** Of this end: the same each time it is told. A loop that is reopened and ends again has another. */
  readonly key: string;
}

export interface AgentHooks {
  readonly onMessageCreated?: (event: MessageCreatedEvent, control: HookControl) => void | Promise<void>;
  readonly onLoopFinished?: (event: LoopFinishedEvent) => void | Promise<void>;
  readonly onMcpSessionInitialized?: (event: { readonly loop: Loop; readonly mcpName: string }) => void | Promise<void>;
}

/** The verbs of control for code inside hooks: the same function as everywhere else. */
export interface HookControl {
  readonly control: (
    request: import('../domain/control').ControlRequest,
    key: string,
  ) => Promise<import('../domain/control').ControlAnswer>;
}

/** What an agent does where the transcript nears the model's window. */
export interface ContextStrategy {
  readonly kind: 'end' | 'drop-oldest' | 'summarise';
  /** Part of the window, by the provider's own token counts, at which it acts. @default 0.8 */
  readonly at?: number;
  /** Turns that are always kept. @default 4 */
  readonly keepTurns?: number;
}

/** A schema for the final answer: checked, with one bounded round of correction. */
export interface OutputSchema {
  readonly name: string;
  /** A Standard Schema (zod …) or a JSON Schema. */
  readonly schema: unknown;
}

/** What `defineAgent` takes. */
export interface AgentDefinition {
  /** Letters, digits, `_`, `-`, `.`; at most 64 characters. */
  readonly name: string;
  readonly model: ModelChoice;
  readonly fallbacks?: readonly FallbackModel[];
  readonly instructions?: string | ((context: AgentContext) => string | Promise<string>);
  readonly tools?: readonly ToolDefinition[];
  readonly mcp?: readonly McpServer[];
  /** @default 'parallel' */
  readonly toolCalls?: 'parallel' | 'sequential';
  /** @default 16 */
  readonly maxParallelToolCalls?: number;
  /** @default 128 */
  readonly maxCallsPerTurn?: number;
  /** One attempt of a turn. @default settings.defaultMaxDuration (7200) */
  readonly turnTimeoutSeconds?: number;
  readonly limits?: LoopLimits;
  /** Whom tools act for; travels with each call (R81). */
  readonly principal?: (context: AgentContext) => unknown;
  /** What the search attribute SolidLoopSubject shows; absent: nothing is shown. */
  readonly searchSubject?: (context: AgentContext) => string | undefined;
  readonly hooks?: AgentHooks;
  readonly middleware?: {
    readonly llm?: (stack: LlmStack) => LlmStack;
    readonly tools?: (stack: ToolStack) => ToolStack;
  };
  /** What a thrown error of a tool means, unless the tool says otherwise (R76). @default 'tell-model' */
  readonly onToolError?: 'tell-model' | 'fail';
  readonly context?: ContextStrategy;
  readonly output?: OutputSchema;
  /** Most characters of a tool result that the model sees; the rest can be read on. @default 100000 */
  readonly maxToolResultChars?: number;
  /** Calls written as text that are read where the model makes no native ones (R44). @default by model name */
  readonly textToolCalls?: boolean;
}

/** A checked definition, with its hash. */
export interface Agent extends AgentDefinition {
  readonly definitionHash: string;
}
