/** What a finished LLM call brings to its commit (R37-R39), and how one can end otherwise (R41). */

import type { JsonObject } from './loop';
import type { Cost, TokenUsage, TurnTimings } from './usage';
import type { ToolEffect } from './tool-call';

/** A call that may be run: its arguments are a JSON object and fit the schema that was offered. */
export interface AcceptedCall {
  readonly kind: 'accepted';
  readonly providerId: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly argumentsRaw: string;
  readonly effect: ToolEffect;
  /** The MCP session row that owns the tool, if any. */
  readonly mcpSessionId?: string;
  readonly metadata?: JsonObject;
}

/** A call that is answered at birth (R39): `answer` is the text of its tool message. */
export interface RejectedCall {
  readonly kind: 'rejected';
  readonly providerId: string;
  /** `unknown_tool` where the model gave no name. */
  readonly name: string;
  readonly argumentsRaw: string;
  readonly answer: string;
  readonly metadata?: JsonObject;
}

export type ParsedCall = AcceptedCall | RejectedCall;

/** The assistant message of a turn, whole (its finish reason was read), ready to be committed. */
export interface TurnAnswer {
  readonly content: string | null;
  readonly reasoningContent: string | null;
  readonly calls: readonly ParsedCall[];
  /** The calls as the provider sent them, for the record. */
  readonly toolCallsRaw: JsonObject | readonly JsonObject[] | null;
  readonly providerExtras: JsonObject | null;
  /** Merged over the shell's. Holds `finish_reason`, `model` if anything named one (R36), and what middlewares add. */
  readonly metadata: JsonObject;
  readonly usage: TokenUsage;
  readonly timings: TurnTimings;
  readonly cost: Cost;
  /** Set where the answer is kept but the person should know why it is short (content filter, cut by length, no answer). */
  readonly errorMessage: string | null;
}

/** A final end of a turn without an answer (R41). Retryable ones are not outcomes: they end the attempt. */
export type TurnFailure =
  /** `message` begins with "Context limit reached: ". */
  | { readonly kind: 'context-limit'; readonly message: string; readonly durationSeconds: number }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly durationSeconds: number };
