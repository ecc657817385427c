/** What a loop is started with, by this package's client or by any of Temporal's. Unknown fields are refused. */

import type { JsonObject, LoopLimits, Subject } from './loop';
import type { MessageContent } from './message';

/** A start by its content: its text does enter Temporal's history (R9). At most 256 kB in all. */
export interface StartInput {
  readonly agent: string;
  /** The first user message: text, or parts with images. Not empty. */
  readonly message: MessageContent;
  /** The start key: the same key is the same start (R77). @default the workflow id */
  readonly key?: string;
  readonly title?: string;
  readonly subject?: Subject;
  readonly state?: JsonObject;
  readonly limits?: LoopLimits;
}

/** A start by reference: the row is there already. `namespaceId` and content never travel. */
export interface OpenInput {
  readonly loopId: string;
}

export type AgentLoopInput = StartInput | OpenInput;

/** @default 256 kB, the most that one input through Temporal's own clients may hold */
export const INPUT_LIMIT_BYTES = 256 * 1024;
