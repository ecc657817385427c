/** Carries a schedule of faults out: loops start as others end, each is brought to its end, and then everything is checked. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ControlRequest } from '../../../src/domain/control';
import { messageOf } from '../../../src/domain/errors';
import type { LoopStatus } from '../../../src/domain/loop';
import type { ScriptedResponse } from '../../../src/testing/script';
import { errorAnswer, textAnswer } from '../../../src/testing/scripted-answers';
import type { Violation } from '../../../src/testing/faults/check-invariants';
import type { Arrival } from '../../../src/testing/faults/start-worker-process';
import type { ChaosControl, ChaosPlan, ModelFault, Strike } from './chaos-plan';
import { openStage, type OwnStage } from './open-stage';
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
  /** How often each fault struck and each control was answered, by name. */
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
  let commits = 0;
  const stage = await openStage({
    script: plan.model.map(({ loop, isSecondTurn, fault }) => toResponse(loop, isSecondTurn, fault)),
    settings: CHAOS_SETTINGS,
    onCommit: () => {
      commits += 1;
      const fault = plan.commits.get(commits);
      if (fault !== undefined) count(tally, `commit: ${fault}`);
      return fault;
    },
  });
  try {
    const run = new ChaosRun(stage, plan, tally);
    await run.pool.start(workers);
    await run.runLoops(loopsAtOnce, onProgress);
    await run.pool.end();
    const journal = await stage.model.journal();
    for (const { outcome, response } of journal)
      if (response?.startsWith('fault') === true) count(tally, `model: ${response.slice(6)} (${outcome})`);
    const stuck = run.stuck.map((detail): Violation => ({ id: 'every-loop-ends', loopId: null, detail }));
    const violations = [...stuck, ...(await stage.violations(['completed', 'cancelled']))];
    return { violations, tally, statuses: run.statuses, requests: journal.length, seconds: (performance.now() - startedMs) / 1000 };
  } finally {
    await stage.close();
  }
}

class ChaosRun {
  readonly pool: WorkerPool;
  readonly statuses: Partial<Record<LoopStatus, number>> = {};
  /** Why loops did not come to their end: the check finds them too. */
  readonly stuck: string[] = [];
  readonly #stage: OwnStage;
  readonly #plan: ChaosPlan;
  readonly #tally: Map<string, number>;
  /** What is to be taken back by a person: pauses, freezes. */
  readonly #takingBack: Promise<unknown>[] = [];

  constructor(stage: OwnStage, plan: ChaosPlan, tally: Map<string, number>) {
    this.pool = new WorkerPool(stage);
    this.#stage = stage;
    this.#plan = plan;
    this.#tally = tally;
  }

  async runLoops(atOnce: number, onProgress: ChaosOptions['onProgress']): Promise<void> {
    const waiting = this.#plan.loops.keys();
    let ended = 0;
    const runLane = async (): Promise<void> => {
      for (const index of waiting) {
        await this.#runLoop(index).catch((error: unknown) => this.stuck.push(messageOf(error)));
        onProgress?.((ended += 1), this.#tally);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, runLane));
    await Promise.all(this.#takingBack);
  }

  async #runLoop(index: number): Promise<void> {
    const { client, waitForEnd } = this.#stage;
    const plan = this.#plan.loops[index];
    const { loopId, workflowId } = await client.start({
      agent: plan?.agent ?? 'worker',
      message: `go loop-${index}-`,
      key: `loop-${index}`,
    });
    this.#arm(index, loopId, workflowId);
    await waitForEnd([loopId], { timeoutMs: LOOP_LIMIT_MS });
    if (plan?.isReopened === true) {
      await this.#control(loopId, 'reopen', { verb: 'reopen', message: `go on loop-${index}-` });
      await waitForEnd([loopId], { timeoutMs: LOOP_LIMIT_MS });
    }
    const { status } = await client.get(loopId);
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  #arm(index: number, loopId: string, workflowId: string): void {
    const { director } = this.#stage;
    for (const { place, control, backAfterMs } of this.#plan.controls) {
      if (place.loop === index) director.at({ ...place, workflowId }, () => this.#act(loopId, control, backAfterMs));
    }
    for (const { place, strike } of this.#plan.strikes) {
      if (place.loop === index) director.at({ ...place, workflowId }, (arrival) => this.#strike(strike, arrival));
    }
  }

  async #strike(strike: Strike, { worker }: Arrival): Promise<void> {
    const { postgres, temporal } = this.#stage;
    count(this.#tally, strike.kind);
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
        return postgres.cut();
      case 'cut-temporal':
        return temporal.cut();
      case 'refuse-postgres':
      case 'refuse-temporal': {
        const proxy = strike.kind === 'refuse-postgres' ? postgres : temporal;
        proxy.refuse();
        await delay(strike.forMs);
        return proxy.heal();
      }
    }
  }

  /** While the step is at its point: the control always meets it in flight. */
  async #act(loopId: string, control: ChaosControl, backAfterMs: number): Promise<void> {
    const answered = await this.#control(loopId, control, REQUESTS[control]);
    if (!answered || !['pause', 'pause-after-step', 'freeze'].includes(control)) return;
    this.#takingBack.push(this.#takeBack(loopId, control, backAfterMs));
  }

  async #takeBack(loopId: string, control: ChaosControl, afterMs: number): Promise<void> {
    await delay(afterMs);
    if (control === 'freeze') await this.#control(loopId, 'unfreeze', { verb: 'unfreeze' });
    await this.#control(loopId, 'resume', { verb: 'resume' });
  }

  /** Each request is sent twice under its key, as a client does that heard no answer. */
  async #control(loopId: string, name: string, request: ControlRequest): Promise<boolean> {
    const key = `${name}-${this.#tally.get(`control: ${name}`) ?? 0}`;
    count(this.#tally, `control: ${name}`);
    const [answer] = await Promise.all([
      this.#stage.client.control(loopId, request, { key }),
      this.#stage.client.control(loopId, request, { key }),
    ]);
    if (!answer.ok) count(this.#tally, `control: ${name} refused (${answer.code})`);
    return answer.ok;
  }
}

const REQUESTS: Readonly<Record<ChaosControl, ControlRequest>> = {
  pause: { verb: 'pause' },
  'pause-after-step': { verb: 'pause', when: 'afterStep' },
  steer: { verb: 'steer', message: 'and another thing' },
  interrupt: { verb: 'steer', message: 'at once, another thing', interrupt: true },
  freeze: { verb: 'freeze', reason: 'chaos' },
  stop: { verb: 'stop' },
  'stop-after-step': { verb: 'stop', when: 'afterStep' },
};

function toResponse(loop: number, isSecondTurn: boolean, fault: ModelFault): ScriptedResponse {
  const match = { bodyContains: `loop-${loop}-`, ...(isSecondTurn ? { lastMessageContains: 'tool-result' } : {}) };
  const half = textAnswer('The half of an answer').steps.slice(0, 3);
  const name = `fault ${fault}`;
  switch (fault) {
    case 'hang':
      return { name, match, steps: [{ kind: 'hold' }] };
    case 'die':
      return { name, match, steps: [{ kind: 'destroy' }] };
    case 'die-in-answer':
      return { name, match, steps: [...half, { kind: 'destroy' }] };
    case 'overloaded':
      return { ...errorAnswer(503, { message: 'overloaded' }, { headers: { 'retry-after-ms': '100' } }), name, match };
  }
}

function count(tally: Map<string, number>, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}
