/** The one shape of a middleware, for LLM turns and tool calls, and the contexts that they share. */

import type { AcceptedCall, TurnAnswer, TurnFailure } from '../domain/turn';
import type { ClaimNumber, Generation } from '../domain/ids';
import type { JsonObject, Loop } from '../domain/loop';
import type { TranscriptMessage } from '../domain/message';
import type { Agent, ModelSettings } from './agent';
import type { MiddlewareStack } from './middleware-stack';
import type { ToolContext, ToolDefinition } from './tool';

export type Next = () => Promise<void>;
export type Middleware<Context> = (context: Context, next: Next) => Promise<void>;

/** The attempt's hold on its fences, checked before every middleware (R31). */
export interface AttemptGuard {
  /** The step's signal: pause, stop, takeover, shutdown, Temporal's cancel, the step's own time limit. */
  readonly signal: AbortSignal;
  /** @throws LostLease (or the signal's reason) where the attempt is lost or aborted. Reads memory only. */
  readonly assertHeld: () => void;
  /** A whole answer was read: from here on it goes to its commit whatever the signal says, and the fence decides (R48). */
  readonly settle?: () => void;
}

/** A tool as it was offered to the model in this turn: `exposedName` is what the provider saw (R83). */
export interface OfferedTool {
  readonly exposedName: string;
  readonly tool: ToolDefinition;
  readonly mcpSessionId?: string;
}

/** A final end of a call, and what was thrown. */
export interface LlmFailure {
  readonly outcome: TurnFailure;
  readonly error: unknown;
}

export interface LlmContext {
  readonly loop: Loop;
  readonly agent: Agent;
  readonly turnNumber: number;
  readonly generation: Generation;
  readonly guard: AttemptGuard;
  /** Set by agent-initialization. */
  model: ModelSettings | undefined;
  instructions: string | undefined;
  tools: readonly OfferedTool[];
  /** The visible transcript, read in one snapshot with the fence. */
  transcript: readonly TranscriptMessage[];
  /** The body of the request, set by message-building. */
  request: Record<string, unknown> | undefined;
  /** The provider's message as it was assembled, set by network-calling: OpenAI's shape, unknown fields kept. */
  rawMessage: Record<string, unknown> | undefined;
  finishReason: string | undefined;
  /** Set by response-parsing. */
  answer: TurnAnswer | undefined;
  /** Set by error-handling where the call ended for good without an answer (R41). */
  failure: LlmFailure | undefined;
  /** Free space for the host's middlewares. Lands nowhere by itself. */
  readonly metadata: Record<string, unknown>;
}

export interface ToolExecutionContext {
  readonly loop: Loop;
  readonly agent: Agent;
  readonly generation: Generation;
  readonly claimNumber: ClaimNumber;
  readonly guard: AttemptGuard;
  readonly call: {
    readonly id: string;
    readonly key: string;
    readonly providerId: string;
    readonly name: string;
    readonly arguments: AcceptedCall['arguments'];
    readonly effect: AcceptedCall['effect'];
    /** Executed by an earlier attempt: the body is not run again. */
    readonly isExecuted: boolean;
  };
  /** Set by agent-initialization. */
  tool: ToolDefinition | undefined;
  toolContext: ToolContext | undefined;
  /** The text for the model; set by tool-execution, by an earlier attempt's checkpoint, or by `skipExecution`. */
  result: string | undefined;
  isSuccess: boolean | undefined;
  /** Seconds. */
  duration: number | undefined;
  /** R51: the rest of the chain runs, the body does not, the checkpoint is set. */
  readonly skipExecution: (outcome: { readonly result: string; readonly success?: boolean; readonly duration?: number }) => void;
  readonly metadata: Record<string, unknown>;
  readonly stateChanges: readonly (JsonObject | ((current: JsonObject) => JsonObject))[];
}

export type LlmMiddleware = Middleware<LlmContext>;
export type ToolMiddleware = Middleware<ToolExecutionContext>;
export type LlmStack = MiddlewareStack<LlmContext>;
export type ToolStack = MiddlewareStack<ToolExecutionContext>;
