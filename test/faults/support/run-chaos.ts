/** Carries a schedule of faults out: loops start as others end, each is brought to its end, and then everything is checked. */

import { messageOf } from '../../../src/domain/errors';
import type { LoopStatus } from '../../../src/domain/loop';
import type { Violation } from '../../../src/testing/faults/check-invariants';
import type { JournalEntry } from '../../../src/testing/script';
import { temporalAddress } from '../../support/workflows';
import {
  findLostHookMessages,
  findLostSignals,
  findOpenWorkflows,
  findPartialAnswers,
  findUnaskedAnswers,
  findUntoldEnds,
} from './chaos-checks';
import { ChaosControls, type DrivenWorkflow } from './chaos-controls';
import { toResponse } from './chaos-model';
import type { ChaosPlan } from './chaos-plan';
import { startChaosReconcilers } from './chaos-reconcilers';
import type { ChaosServers } from './chaos-servers';
import { strikeAt } from './chaos-strikes';
import { openStage, type OwnStage, WHOLE_ANSWERS } from './open-stage';
import { openTemporalOperator, type TemporalOperator } from './temporal-operator';
import { untilServed } from './until-served';
import { WorkerPool } from './worker-pool';

export interface ChaosOptions {
  readonly plan: ChaosPlan;
  /** @default 50 */
  readonly loopsAtOnce?: number;
  /** @default 2 */
  readonly workers?: number;
  /** Of the run's own: without them no outage of the plan strikes. */
  readonly servers?: ChaosServers | undefined;
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

export async function runChaos(options: ChaosOptions): Promise<ChaosOutcome> {
  const { plan, loopsAtOnce = LOOPS_AT_ONCE, workers = WORKERS, servers, onProgress } = options;
  const startedMs = performance.now();
  const tally = new Map<string, number>();
  const count = (name: string, times = 1): void => void tally.set(name, (tally.get(name) ?? 0) + times);
  let commits = 0;
  const address = servers?.temporalAddress ?? temporalAddress();
  const stage = await openStage({
    script: plan.model.map(toResponse),
    settings: CHAOS_SETTINGS,
    temporalAddress: address,
    onCommit: () => {
      commits += 1;
      const fault = plan.commits.get(commits);
      if (fault !== undefined) count(`commit: ${fault}`);
      return fault;
    },
  });
  const operator = await openTemporalOperator(address);
  const reconcilers = plan.hasReconcilers ? startChaosReconcilers(stage.database.db, operator.client) : undefined;
  try {
    const run = new ChaosRun({ stage, plan, operator, servers, count });
    await run.pool.start(workers);
    await run.runLoops(loopsAtOnce, (ended) => onProgress?.(ended, tally));
    const open = await findOpenWorkflows(stage.database.db, operator, run.controls.terminated);
    await run.pool.end();
    for (const [name, times] of (await reconcilers?.stop()) ?? []) count(`reconciler: ${name}`, times);
    const journal = await stage.model.journal();
    for (const { outcome, response } of journal)
      if (response?.startsWith('fault') === true) count(`model: ${response.slice(6)} (${outcome})`);
    const violations = [...run.violations, ...open, ...(await findViolations(stage, run, journal))];
    return { violations, tally, statuses: run.statuses, requests: journal.length, seconds: (performance.now() - startedMs) / 1000 };
  } finally {
    await reconcilers?.stop();
    await operator.close();
    await stage.close();
  }
}

/** Read when nobody is at work any more. */
async function findViolations(stage: OwnStage, run: ChaosRun, journal: readonly JournalEntry[]): Promise<readonly Violation[]> {
  const { db } = stage.database;
  return [
    ...(await stage.violations(['completed', 'cancelled'])),
    ...(await findUnaskedAnswers(db, journal)),
    ...(await findPartialAnswers(db, WHOLE_ANSWERS)),
    ...(await findLostSignals(db, run.controls.taken)),
    ...(await findLostHookMessages(db, 'hooked')),
    ...(await findUntoldEnds(db, 'hooked', stage.ends.read())),
  ];
}

interface ChaosParts {
  readonly stage: OwnStage;
  readonly plan: ChaosPlan;
  readonly operator: TemporalOperator;
  readonly servers: ChaosServers | undefined;
  readonly count: (name: string) => void;
}

class ChaosRun {
  readonly pool: WorkerPool;
  readonly controls: ChaosControls;
  readonly statuses: Partial<Record<LoopStatus, number>> = {};
  readonly #stuck: Violation[] = [];
  readonly #parts: ChaosParts;

  constructor(parts: ChaosParts) {
    this.pool = new WorkerPool(parts.stage);
    this.#parts = parts;
    this.controls = new ChaosControls(parts);
  }

  get violations(): readonly Violation[] {
    return [...this.#stuck, ...this.controls.violations];
  }

  async runLoops(atOnce: number, onEnded: (ended: number) => void): Promise<void> {
    const waiting = this.#parts.plan.loops.keys();
    let ended = 0;
    const runLane = async (): Promise<void> => {
      for (const index of waiting) {
        await this.#runLoop(index).catch((error: unknown) => this.#isStuck(error));
        onEnded((ended += 1));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, runLane));
    await this.controls.settle();
    await this.#endChildren().catch((error: unknown) => this.#isStuck(error));
  }

  #isStuck(error: unknown): void {
    this.#stuck.push({ id: 'every-loop-ends', loopId: null, detail: messageOf(error) });
  }

  async #runLoop(index: number): Promise<void> {
    const { stage, plan } = this.#parts;
    const { agent = 'worker', isReopened = false } = plan.loops[index] ?? {};
    const loop = await untilServed(() => stage.client.start({ agent, message: `go loop-${index}-`, key: `loop-${index}` }));
    const { loopId } = loop;
    this.#arm(index, loop);
    await this.#bringToEnd(loopId);
    if (isReopened) {
      await this.controls.send(loopId, 'reopen', () => ({ verb: 'reopen', message: `go on loop-${index}-` }));
      await this.#bringToEnd(loopId);
    }
    const { status } = await untilServed(() => stage.client.get(loopId));
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  /** What the model refused is retried, as a person would. */
  async #bringToEnd(loopId: string): Promise<void> {
    const { client, waitForEnd } = this.#parts.stage;
    for (;;) {
      await untilServed(() => waitForEnd([loopId], { timeoutMs: LOOP_LIMIT_MS }));
      if ((await untilServed(() => client.get(loopId))).status !== 'failed') return;
      const { ok } = await this.controls.send(loopId, 'retry', () => ({ verb: 'retry' }));
      if (!ok) return;
    }
  }

  /** Loops that tools started: nobody waited for them. */
  async #endChildren(): Promise<void> {
    const { db } = this.#parts.stage.database;
    const children = await db.selectFrom('loops').select('id').where('parent_loop_id', 'is not', null).execute();
    for (const { id } of children) await this.#bringToEnd(id);
  }

  #arm(index: number, loop: DrivenWorkflow): void {
    const { stage, plan, count } = this.#parts;
    const isHere = ({ place }: { readonly place: { readonly loop: number } }): boolean => place.loop === index;
    for (const planned of plan.controls.filter(isHere))
      stage.director.at({ ...planned.place, workflowId: loop.workflowId }, () => this.controls.act(loop, planned));
    for (const { place, strike } of plan.strikes.filter(isHere)) {
      stage.director.at({ ...place, workflowId: loop.workflowId }, async (arrival) => {
        count(strike.kind);
        await strikeAt(arrival, strike, this.#parts);
      });
    }
  }
}
