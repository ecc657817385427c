/** A number of worker processes; one that is killed has a successor at once. */

import { setTimeout as delay } from 'node:timers/promises';
import type { FaultStage } from '../../../src/testing/faults/open-fault-stage';
import type { WorkerProcess } from '../../../src/testing/faults/start-worker-process';

const START_AGAIN_MS = 200;
const STARTS = 50;

export class WorkerPool {
  readonly #stage: FaultStage;
  readonly #workers = new Set<WorkerProcess>();
  #starting: Promise<unknown> = Promise.resolve();

  constructor(stage: FaultStage) {
    this.#stage = stage;
  }

  async start(size: number): Promise<void> {
    for (let count = 0; count < size; count += 1) await this.#startOne();
  }

  async replace(worker: WorkerProcess): Promise<void> {
    this.#workers.delete(worker);
    await worker.kill();
    this.#starting = this.#starting.then(() => this.#startOne());
    this.#starting.catch(() => undefined); // said by `end`
  }

  /** SIGTERM for all; those that were stopped go on first. @throws where a successor could not be started */
  async end(): Promise<void> {
    await this.#starting;
    await Promise.all(
      [...this.#workers].map((worker) => {
        worker.continue();
        return worker.terminate();
      }),
    );
  }

  /** The network that a fault has cut is there again soon. */
  async #startOne(startsLeft = STARTS): Promise<void> {
    try {
      this.#workers.add(await this.#stage.startWorker());
    } catch (error) {
      if (startsLeft <= 1) throw error;
      await delay(START_AGAIN_MS);
      await this.#startOne(startsLeft - 1);
    }
  }
}
