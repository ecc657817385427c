/** What one run of the workflow keeps in memory: which loop it drives, and how often it was woken. No content, no truth. */

import { allHandlersFinished, condition } from '@temporalio/workflow';
import type { LoopId } from '../domain/ids';
import type { PlannedStep } from '../domain/planned-step';
import { tables } from './activity-proxies';
import { LoopViewer } from './loop-view';

/** An answer of the tables, and how many wakes had come when the activity that answers was scheduled (R67). */
export interface Answer {
  readonly step: PlannedStep;
  readonly wakes: number;
}

export class LoopRun {
  readonly viewer = new LoopViewer();
  #loopId: LoopId | undefined;
  #wakes = 0;
  #activities = new Map<string, number>();

  get loopId(): LoopId {
    if (this.#loopId === undefined) throw new Error('the loop is not open yet');
    return this.#loopId;
  }

  get wakes(): number {
    return this.#wakes;
  }

  open(loopId: LoopId): void {
    this.#loopId = loopId;
  }

  wake(): void {
    this.#wakes += 1;
  }

  /** Messages may arrive before the loop is open; they wait (R69). */
  async untilOpen(): Promise<void> {
    await condition(() => this.#loopId !== undefined);
  }

  async untilWoken(since: number): Promise<void> {
    await condition(() => this.#wakes !== since);
  }

  /** Asks the tables what is next. */
  async ask(): Promise<Answer> {
    const wakes = this.#wakes;
    return { step: await tables.readNextStep({ loopId: this.loopId }), wakes };
  }

  /** True where the run may end with this answer: handlers drained, and no wake came since it was asked for (R67). */
  async isSettled(answer: Answer): Promise<boolean> {
    await condition(allHandlersFinished);
    return this.#wakes === answer.wakes;
  }

  /** A readable activity id, never used twice in a run: an abandoned one may still be pending. */
  activityId(name: string): string {
    const uses = (this.#activities.get(name) ?? 0) + 1;
    this.#activities.set(name, uses);
    return uses === 1 ? name : `${name}-${uses}`;
  }
}
