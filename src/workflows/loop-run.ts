/** What one run of the workflow keeps in memory: which loop it drives, and how often it was woken. No content, no truth. */

import { allHandlersFinished, condition, workflowInfo } from '@temporalio/workflow';
import type { Generation, LoopId } from '../domain/ids';
import type { OpenedLoop, PlannedStep } from '../domain/planned-step';
import { tables } from './activity-proxies';
import { LoopViewer } from './loop-view';

/** An answer of the tables, and how many wakes had come when the activity that answers was scheduled (R67). */
export interface Answer {
  readonly step: PlannedStep;
  readonly wakes: number;
}

export class LoopRun {
  readonly viewer = new LoopViewer();
  #opened: OpenedLoop | undefined;
  #wakes = 0;
  #asked = 0;
  #changes = 0;
  #activities = new Map<string, number>();
  #telling: { readonly end: Generation; readonly told: Promise<void> } | undefined;

  get loopId(): LoopId {
    return this.#open.loopId;
  }

  get agent(): string {
    return this.#open.agent;
  }

  get #open(): OpenedLoop {
    if (this.#opened === undefined) throw new Error('the loop is not open yet');
    return this.#opened;
  }

  get wakes(): number {
    return this.#wakes;
  }

  open(opened: OpenedLoop): void {
    this.#opened = opened;
    this.viewer.open(opened);
  }

  /** At a step's edge, never before this run has done anything: the history is long, or a newer deployment should take over. */
  get shouldContinueAsNew(): boolean {
    if (this.#activities.size + this.#asked === 0) return false;
    const { continueAsNewSuggested, historyLength, targetWorkerDeploymentVersionChanged } = workflowInfo();
    return (
      continueAsNewSuggested ||
      targetWorkerDeploymentVersionChanged === true ||
      historyLength >= (this.#opened?.continueAsNewEvents ?? Infinity)
    );
  }

  /** The telling of an end, begun once for each; undefined where nobody wants to know of it. */
  telling(end: Generation, tell: () => Promise<void>): Promise<void> | undefined {
    if (this.#opened?.notifiesFinish !== true) return undefined;
    if (this.#telling?.end !== end) this.#telling = { end, told: tell() };
    return this.#telling.told;
  }

  wake(): void {
    this.#wakes += 1;
  }

  /** Messages may arrive before the loop is open; they wait (R69). */
  async untilOpen(): Promise<void> {
    await condition(() => this.#opened !== undefined);
  }

  async untilWoken(since: number): Promise<void> {
    await condition(() => this.#wakes !== since);
  }

  /** Asks the tables what is next. */
  async ask(): Promise<Answer> {
    const wakes = this.#wakes;
    this.#asked += 1;
    return { step: await tables.readNextStep({ loopId: this.loopId }), wakes };
  }

  /** A change of the loop that no handler of Temporal's stands for: the run does not end before it. */
  async during(change: () => Promise<void>): Promise<void> {
    this.#changes += 1;
    try {
      await change();
    } finally {
      this.#changes -= 1;
    }
  }

  /** True where the run may end with this answer: handlers drained, and no wake came since it was asked for (R67). */
  async isSettled(answer: Answer): Promise<boolean> {
    await condition(() => this.#changes === 0 && allHandlersFinished());
    return this.#wakes === answer.wakes;
  }

  /** A readable activity id, never used twice in a run: an abandoned one may still be pending. */
  activityId(name: string): string {
    const uses = (this.#activities.get(name) ?? 0) + 1;
    this.#activities.set(name, uses);
    return uses === 1 ? name : `${name}-${uses}`;
  }
}
