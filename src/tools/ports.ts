/** What the tool stack needs of others: the checkpoint and the response in the tables, the wire log, live text, the heartbeat. */

import type { ChildLoop } from '../agents/tool';
import type { StartInput } from '../domain/agent-loop-input';
import type { JsonObject } from '../domain/loop';
import type { LivePart } from '../domain/live-part';
import type { EngineSettings } from '../domain/settings';
import type { WireRecorder } from '../domain/wire';

/** What a stream shows of a tool call. */
type ToolPart = Extract<LivePart, { readonly type: 'tool-start' | 'tool-end' }>;

/** A change of the loop's state, merged by top-level key under the loop lock (R76). */
export type StateChange = JsonObject | ((current: JsonObject) => JsonObject);

/** How a body ended: what its checkpoint keeps (R54). */
export interface ToolOutcome {
  /** The whole text of the result, never empty; the model sees `content` of the response. */
  readonly result: string;
  readonly isSuccess: boolean;
  readonly durationSeconds: number;
  /** The message of what was thrown; null where nothing was. */
  readonly errorMessage: string | null;
  readonly stateChanges: readonly StateChange[];
  /** Kept on the call and on its tool message: `{ images: [{ mimeType, data }] }` where the result has images (P80). */
  readonly metadata: JsonObject;
}

/** The one tool message of a call (R55). */
export interface ToolResponse {
  /** The result as the model sees it: cut to the agent's `maxToolResultChars`. Never empty. */
  readonly content: string;
  readonly isSuccess: boolean;
  readonly durationSeconds: number;
  readonly metadata: JsonObject;
}

/** An end of a call without an outcome: the call, where it has no checkpoint, and the loop become failed (R56, R57). */
export interface ToolFailure {
  readonly code: 'ToolFailed' | 'ConfigError' | 'InternalError';
  readonly message: string;
}

/**
 * The ports of one claimed call. Those that write throw LostLease where their fence does not hold; `Answer` is what the caller
 * wants to know of the response (what is next).
 */
export interface ToolPorts<Answer> {
  readonly settings: EngineSettings;
  readonly live: { readonly push: (part: ToolPart) => void };
  readonly wire: WireRecorder;
  readonly heartbeat: (progress?: unknown) => void;
  /** Starts a child of the call's loop; `key` is unique to this start of this call (R78). */
  readonly startLoop: (start: StartInput) => Promise<ChildLoop>;
  /** Told directly before the body is entered: until then a release takes `started_at` back too (R58). */
  readonly onBodyEntered: () => void;
  /** Writes `executed_at` and the outcome, under the claim that started the body alone (R54). */
  readonly checkpoint: (outcome: ToolOutcome) => Promise<void>;
  /** Writes the tool message of an executed call, under both fences (R55). */
  readonly respond: (response: ToolResponse) => Promise<Answer>;
  /** Both in one transaction: the checkpoint whenever its own fence holds, the message only if both fences do. */
  readonly settle: (outcome: ToolOutcome, response: ToolResponse) => Promise<Answer>;
  /** R75: the body of an `unsafe` call passed its limit. Asks `reconcile`, and answers with its result or as unknown. */
  readonly settleUnknown: (reason: string) => Promise<Answer>;
  /** The checkpoint of an `unsafe` body that ended when nobody waited any more (R54, R60). Never rejects: it logs. */
  readonly checkpointLate: (outcome: ToolOutcome) => Promise<void>;
  /** An `unsafe` body that nobody waited for threw because it was aborted: nobody knows what it did. */
  readonly onLateEndUnknown: () => void;
  /** R56 or R57, as the row says under the locks. */
  readonly fail: (failure: ToolFailure) => Promise<Answer>;
  /** A middleware threw when the response was already written: it changes nothing, and is to be logged (R24). */
  readonly onErrorAfterResponse: (error: unknown) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}
