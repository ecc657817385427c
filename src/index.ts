/** The public list: each export is signed here, types apart. */

export { defineAgent } from './agents/define-agent';
export { defineConfig } from './agents/define-config';
export { defineTool } from './agents/define-tool';
export { loadConfig } from './agents/load-config';
export { createApp } from './app';
export { SolidLoopClient } from './client/solid-loop-client';
export { createDatabase } from './db/database';
export { migrateToLatest } from './db/migrate';
export { SolidLoopError } from './domain/errors';
export { textToolCalls } from './llm/middleware/text-tool-calls';
export { verifyWebhook } from './util/signed-webhook';
export { controlUpdate, statusQuery, verbSignals, wakeSignal } from './workflows/controls';

export type {
  Agent,
  AgentContext,
  AgentDefinition,
  AgentHooks,
  FallbackModel,
  LoopFinishedEvent,
  ModelChoice,
  ModelPrice,
  ModelSettings,
  ProviderQuirks,
} from './agents/agent';
export type { SolidLoopConfig } from './agents/define-config';
export type { ReconcileContext, ToolInput, ToolSchema, TypedToolDefinition } from './agents/define-tool';
export type {
  AttemptGuard,
  LlmContext,
  LlmMiddleware,
  LlmStack,
  Middleware,
  Next,
  ToolExecutionContext,
  ToolMiddleware,
  ToolStack,
} from './agents/middleware';
export type { ChildLoop, ChildStart, ReconcileAnswer, ToolContext, ToolDefinition, ToolResultPart } from './agents/tool';
export type { App, AppOptions } from './app';
export type {
  ConnectOptions,
  ControlOptions,
  EraseOptions,
  LaunchedLoop,
  LoopOutcome,
  ResultOptions,
  StartOptions,
} from './client/solid-loop-client';
export type { StreamItem, StreamOptions, StreamPosition } from './client/stream';
export type { Why } from './client/why';
export type { EraseReport, LoopRowCounts } from './db/loops/erase-loop';
export type { LoopFilter } from './db/loops/find-loops';
export type { QueryExecutor, StartedLoop } from './db/loops/start-loop';
export type { AgentLoopInput, OpenInput, StartInput } from './domain/agent-loop-input';
export type { ControlAnswer, ControlEffect, ControlRequest, ControlVerb } from './domain/control';
export type { ErrorCode } from './domain/errors';
export type { ClaimNumber, EventId, Generation, LoopId, MessageId, ToolCallId } from './domain/ids';
export type { LivePart } from './domain/live-part';
export type { JsonObject, JsonValue, Loop, LoopCounters, LoopLimits, LoopStatus, Subject } from './domain/loop';
export type { ContentPart, MessageContent, MessageRole, MessageStatus, TranscriptMessage, TranscriptToolCall } from './domain/message';
export type { LoopResult } from './domain/planned-step';
export type { EngineSettings } from './domain/settings';
export type { ToolEffect } from './domain/tool-call';
export type { Cost, TokenUsage, TurnTimings } from './domain/usage';
export type { ReceivedWebhook } from './util/signed-webhook';
