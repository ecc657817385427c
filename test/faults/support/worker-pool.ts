/** A number of worker processes, as a supervisor keeps them: one that is gone has a successor at once, whatever ended it. */

import { setTimeout as delay } from 'node:timers/promises';
import type { FaultStage, WorkerOfItsOwn } from '../../../src/testing/faults/open-fault-stage';
import type { WorkerProcess } from '../../../src/testing/faults/start-worker-process';

/** Each start takes the next: a plain one; behind a pooler; one that replays every task, whose loops continue as new at many edges. */
const KINDS: readonly WorkerOfItsOwn[] = [
  {},
  { listen: false },
  { settings: { continueAsNewEvents: 20 } },
  { maxCachedWorkflows: 0, settings: { continueAsNewEvents: 40 } },
];
const START_AGAIN_MS = 200;
const STARTS = 50;

export class WorkerPool {
  readonly #stage: FaultStage;
  readonly #workers = new Set<WorkerProcess>();
  #starting: Promise<unknown> = Promise.resolve();
  #isEnding = false;
  #starts = 0;

  constructor(stage: FaultStage) {
    this.#stage = stage;
  }

  async start(size: number): Promise<void> {
    for (let count = 0; count < size; count += 1) await this.#startOne();
  }

  /** SIGTERM for all; those that were stopped go on first. @throws where a successor could not be started */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#starting;
    await Promise.all(
      [...this.#workers].map((worker) => {
        worker.continue();
        return worker.terminate();
      }),
    );
  }

  #succeed(worker: WorkerProcess): void {
    this.#workers.delete(worker);
    if (this.#isEnding) return;
    this.#starting = this.#starting.then(() => this.#startOne());
    this.#starting.catch(() => undefined); // said by `end`
  }

  /** The network that a fault has cut is there again soon. */
  async #startOne(startsLeft = STARTS): Promise<void> {
    try {
      const worker = await this.#stage.startWorker(KINDS[this.#starts % KINDS.length]);
      this.#starts += 1;
      this.#workers.add(worker);
      void worker.ended.then(() => this.#succeed(worker));
    } catch (error) {
      if (startsLeft <= 1) throw error;
      await delay(START_AGAIN_MS);
      await this.#startOne(startsLeft - 1);
    }
  }
}
