/** The messages that a loop's workflow takes, by name. The client imports this file; it must stay free of handlers. */

import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { CONTROL_VERBS, type ControlAnswer, type ControlVerb } from '../domain/control';
import type { LoopView } from './loop-view';

/** "There is something new in the tables": sent after each change from outside, carries nothing (R67). */
export const wakeSignal = defineSignal('wake');

/** One signal a verb, for people who have only Temporal's clients. The payload is the verb's fields, optionally with `key` and `by`. */
export const verbSignals = Object.fromEntries(CONTROL_VERBS.map((verb) => [verb, defineSignal<[unknown?]>(verb)])) as Readonly<
  Record<ControlVerb, ReturnType<typeof defineSignal<[unknown?]>>>
>;

/** Any verb, with an answer: `{ verb, …fields, key?, by? }`. A refusal is an error named by its code. */
export const controlUpdate = defineUpdate<ControlAnswer, [unknown]>('control');

/** The loop as of the workflow's last step; the tables know better. */
export const statusQuery = defineQuery<LoopView>('status');
