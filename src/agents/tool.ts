/** What a tool is to its author and to the engine. */

import type { StartInput } from '../domain/agent-loop-input';
import type { LoopId } from '../domain/ids';
import type { JsonObject, Loop, LoopStatus } from '../domain/loop';
import type { ToolEffect } from '../domain/tool-call';

export interface ToolContext {
  readonly signal: AbortSignal;
  /** The same on each attempt of this call (R53). */
  readonly idempotencyKey: string;
  /** Adds progress to the heartbeat; beats are sent anyway. */
  readonly heartbeat: (progress?: unknown) => void;
  readonly loop: Loop;
  readonly agentName: string;
  /** What the agent's `principal` answered. */
  readonly principal: unknown;
  readonly state: JsonObject;
  /** Kept with the checkpoint, merged by top-level key; a function gets the value current at that time (R76). */
  readonly setState: (change: JsonObject | ((current: JsonObject) => JsonObject)) => void;
  /**
   * Starts another loop, whose parent this one is. It lives on its own: the parent neither waits for it nor takes it along, unless
   * `stop` or `freeze` is asked to (R78). A repeat of this call finds the loop that it started before.
   * @throws StartRefused for an unknown agent; InvalidInput with the field
   */
  readonly startLoop: (start: ChildStart) => Promise<ChildLoop>;
}

/** `key` tells several starts of one call apart. @default their order: the first, the second … */
export type ChildStart = StartInput;

export interface ChildLoop {
  readonly loopId: LoopId;
  readonly workflowId: string;
  /** False: an earlier attempt of this call started it. */
  readonly isNew: boolean;
  readonly status: LoopStatus;
}

/** Parts of a result with images. */
export interface ToolResultPart {
  readonly type: 'text' | 'image';
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

/** What `reconcile` may answer: only that it happened, with its result; anything else is unknown (R75). */
export type ReconcileAnswer = { readonly happened: true; readonly result: unknown } | { readonly happened: false };

/** A tool with its input type erased: what the engine holds. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** The schema that is offered to the model (JSON Schema, draft 2020-12, an object at the top). */
  readonly inputSchema: JsonObject;
  /** @default 'unsafe' */
  readonly effect: ToolEffect;
  /** One attempt. @default settings.defaultToolTimeout (600) */
  readonly timeoutSeconds?: number;
  /** A task queue of its own, served by workers that can run it. */
  readonly taskQueue?: string;
  /** @default the agent's `onToolError` */
  readonly onError?: 'tell-model' | 'fail';
  /** Checks and transforms the arguments, then runs the body. A string is the result; anything else is told as JSON. */
  readonly run: (input: JsonObject, context: ToolContext) => Promise<unknown>;
  /** Text of the author's function: part of the agent's definition hash. @default the text of `run` */
  readonly source?: string;
  readonly reconcile?: (context: {
    readonly idempotencyKey: string;
    readonly input: JsonObject;
    readonly loop: Loop;
    readonly signal: AbortSignal;
  }) => Promise<ReconcileAnswer>;
}
