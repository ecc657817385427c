/** A number of worker processes, as a supervisor keeps them: one that is gone has a successor at once, whatever ended it. */

import { setTimeout as delay } from 'node:timers/promises';
import type { FaultStage } from '../../../src/testing/faults/open-fault-stage';
import type { WorkerProcess } from '../../../src/testing/faults/start-worker-process';

const START_AGAIN_MS = 200;
const STARTS = 50;

export class WorkerPool {
  readonly #stage: FaultStage;
  readonly #workers = new Set<WorkerProcess>();
  #starting: Promise<unknown> = Promise.resolve();
  #isEnding = false;

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
      const worker = await this.#stage.startWorker();
      this.#workers.add(worker);
      void worker.ended.then(() => this.#succeed(worker));
    } catch (error) {
      if (startsLeft <= 1) throw error;
      await delay(START_AGAIN_MS);
      await this.#startOne(startsLeft - 1);
    }
  }
}
