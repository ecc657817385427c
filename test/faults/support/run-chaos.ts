/** Carries a schedule of faults out: loops start as others end, each is brought to its end, and then everything is checked. */

import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../../src/domain/errors';
import type { LoopStatus } from '../../../src/domain/loop';
import type { Violation } from '../../../src/testing/faults/check-invariants';
import type { Arrival } from '../../../src/testing/faults/start-worker-process';
import { ChaosControls, type DrivenWorkflow } from './chaos-controls';
import { toResponse } from './chaos-model';
import type { ChaosPlan, Strike } from './chaos-plan';
import { openStage, type OwnStage } from './open-stage';
import { openTemporalOperator, type TemporalOperator } from './temporal-operator';
import { WorkerPool } from './worker-pool';

export interface ChaosOptions {
  readonly plan: ChaosPlan;
  /** @default 50 */
  readonly loopsAtOnce?: number;
  /** @default 2 */
  readonly workers?: number;
  /** Told of each loop that has ended. */
  readonly onProgress?: (ended: number, tally: ReadonlyMap<string, number>) => void;
}

export interface ChaosOutcome {
  readonly violations: readonly Violation[];
  /** How often each fault struck and each control was sent, by name. */
  readonly tally: ReadonlyMap<string, number>;
  readonly statuses: Readonly<Partial<Record<LoopStatus, number>>>;
  readonly requests: number;
  readonly seconds: number;
}

/** Many processes on few cores beat late: a healthy one should not count as dead all the time. */
const CHAOS_SETTINGS = { heartbeatTimeout: 4, firstTokenTimeout: 2, progressTimeout: 2 };
const LOOPS_AT_ONCE = 50;
const WORKERS = 2;
const LOOP_LIMIT_MS = 900_000;

export async function runChaos({ plan, loopsAtOnce = LOOPS_AT_ONCE, workers = WORKERS, onProgress }: ChaosOptions): Promise<ChaosOutcome> {
  const startedMs = performance.now();
  const tally = new Map<string, number>();
  const count = (name: string): void => void tally.set(name, (tally.get(name) ?? 0) + 1);
  let commits = 0;
  const stage = await openStage({
    script: plan.model.map(toResponse),
    settings: CHAOS_SETTINGS,
    onCommit: () => {
      commits += 1;
      const fault = plan.commits.get(commits);
      if (fault !== undefined) count(`commit: ${fault}`);
      return fault;
    },
  });
  const operator = await openTemporalOperator();
  try {
    const run = new ChaosRun({ stage, plan, operator, count });
    await run.pool.start(workers);
    await run.runLoops(loopsAtOnce, (ended) => onProgress?.(ended, tally));
    await run.pool.end();
    const journal = await stage.model.journal();
    for (const { outcome, response } of journal)
      if (response?.startsWith('fault') === true) count(`model: ${response.slice(6)} (${outcome})`);
    const stuck = run.stuck.map((detail): Violation => ({ id: 'every-loop-ends', loopId: null, detail }));
    const violations = [...stuck, ...(await stage.violations(['completed', 'cancelled']))];
    return { violations, tally, statuses: run.statuses, requests: journal.length, seconds: (performance.now() - startedMs) / 1000 };
  } finally {
    await operator.close();
    await stage.close();
  }
}

interface ChaosParts {
  readonly stage: OwnStage;
  readonly plan: ChaosPlan;
  readonly operator: TemporalOperator;
  readonly count: (name: string) => void;
}

class ChaosRun {
  readonly pool: WorkerPool;
  readonly statuses: Partial<Record<LoopStatus, number>> = {};
  /** Why loops did not come to their end: the check finds them too. */
  readonly stuck: string[] = [];
  readonly #parts: ChaosParts;
  readonly #controls: ChaosControls;

  constructor(parts: ChaosParts) {
    this.pool = new WorkerPool(parts.stage);
    this.#parts = parts;
    this.#controls = new ChaosControls(parts);
  }

  async runLoops(atOnce: number, onEnded: (ended: number) => void): Promise<void> {
    const waiting = this.#parts.plan.loops.keys();
    let ended = 0;
    const runLane = async (): Promise<void> => {
      for (const index of waiting) {
        await this.#runLoop(index).catch((error: unknown) => this.stuck.push(messageOf(error)));
        onEnded((ended += 1));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, runLane));
    await this.#controls.settle();
  }

  async #runLoop(index: number): Promise<void> {
    const { client, waitForEnd } = this.#parts.stage;
    const plan = this.#parts.plan.loops[index];
    const loop = await client.start({ agent: plan?.agent ?? 'worker', message: `go loop-${index}-`, key: `loop-${index}` });
    const { loopId } = loop;
    this.#arm(index, loop);
    await waitForEnd([loopId], { timeoutMs: LOOP_LIMIT_MS });
    if (plan?.isReopened === true) {
      await this.#controls.send(loopId, 'reopen', { verb: 'reopen', message: `go on loop-${index}-` });
      await waitForEnd([loopId], { timeoutMs: LOOP_LIMIT_MS });
    }
    const { status } = await client.get(loopId);
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  #arm(index: number, loop: DrivenWorkflow): void {
    const { stage, plan } = this.#parts;
    for (const { place, control, backAfterMs } of plan.controls) {
      if (place.loop === index)
        stage.director.at({ ...place, workflowId: loop.workflowId }, () => this.#controls.act(loop, control, backAfterMs));
    }
    for (const { place, strike } of plan.strikes) {
      if (place.loop === index) stage.director.at({ ...place, workflowId: loop.workflowId }, (arrival) => this.#strike(strike, arrival));
    }
  }

  async #strike(strike: Strike, { worker, workflowId }: Arrival): Promise<void> {
    const { stage, operator, count } = this.#parts;
    count(strike.kind);
    switch (strike.kind) {
      case 'kill':
        return worker.kill();
      case 'zombie':
        worker.stop();
        await delay(strike.forMs);
        return worker.continue();
      case 'slow':
        return delay(strike.forMs);
      case 'cut-postgres':
        return stage.postgres.cut();
      case 'cut-temporal':
        return stage.temporal.cut();
      case 'refuse-postgres':
      case 'refuse-temporal': {
        const proxy = strike.kind === 'refuse-postgres' ? stage.postgres : stage.temporal;
        proxy.refuse();
        await delay(strike.forMs);
        return proxy.heal();
      }
      case 'reset-workflow':
        return operator.reset(workflowId);
    }
  }
}
