/** What the default middlewares share during the run of one claimed call: its ports, and how far the call is. */

import type { ToolExecutionContext } from '../agents/middleware';
import type { JsonObject } from '../domain/loop';
import type { StateChange, ToolPorts } from './ports';

/** A call as its claim gives it. */
export interface ClaimedToolCall extends Pick<ToolExecutionContext, 'loop' | 'agent' | 'generation' | 'claimNumber' | 'guard' | 'call'> {
  /** Given where the tool is not of the agent's own list (MCP). */
  readonly tool?: ToolExecutionContext['tool'];
  /** What an earlier attempt's checkpoint holds; present exactly where `call.isExecuted`. */
  readonly executed?: ExecutedOutcome;
}

export interface ExecutedOutcome {
  readonly result: string;
  readonly isSuccess: boolean;
  readonly durationSeconds: number;
  /** The row's `metadata`. */
  readonly metadata: JsonObject;
}

export interface ToolRun<Answer> {
  readonly ports: ToolPorts<Answer>;
  /** True where no middleware of a user's stands between execution and response: one transaction writes both. */
  settlesAtOnce: boolean;
  /** The outcome is in the tables, by this run or by an earlier attempt. */
  isCheckpointed: boolean;
  /** What the row keeps beside the result: images (P80). */
  metadata: JsonObject;
  readonly stateChanges: StateChange[];
  /** Set once the call has its tool message, or is failed: nothing is written after it. */
  answer: { readonly value: Answer } | undefined;
}

export function createToolRun<Answer>(
  ports: ToolPorts<Answer>,
  { call, executed }: Pick<ClaimedToolCall, 'call' | 'executed'>,
): ToolRun<Answer> {
  return {
    ports,
    settlesAtOnce: false,
    isCheckpointed: call.isExecuted,
    metadata: executed?.metadata ?? {},
    stateChanges: [],
    answer: undefined,
  };
}

/** The context of one claimed call, as the tool middlewares see it. */
export function createToolExecutionContext(
  { executed, tool, ...claimed }: ClaimedToolCall,
  stateChanges: readonly StateChange[],
): ToolExecutionContext {
  const context: ToolExecutionContext = {
    ...claimed,
    tool,
    toolContext: undefined,
    result: claimed.call.isExecuted ? (executed?.result ?? '') : undefined,
    isSuccess: executed?.isSuccess,
    duration: executed?.durationSeconds,
    metadata: {},
    stateChanges,
    skipExecution: ({ result, success = false, duration = 0 }) => {
      context.result = result;
      context.isSuccess = success;
      context.duration = duration;
    },
  };
  return context;
}
