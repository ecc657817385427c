/** Runs a user's agent once without a fault, then kills, stops and cuts its worker at each point that the run came to. */

import { createDatabase } from '../../db/database';
import { migrateToLatest } from '../../db/migrate';
import type { TranscriptMessage } from '../../domain/message';
import type { LoopOutcome } from '../../client/solid-loop-client';
import { FAULT_POINTS } from '../../domain/fault-points';
import { checkInvariants, type Violation } from './check-invariants';
import { openLedger } from './ledger';
import { type FaultStage, type FaultStageOptions, openFaultStage } from './open-fault-stage';
import { POINT_FAULTS, type PointFault, runFaultRound } from './run-fault-round';

/** A loop that has ended, as its author's own invariants see it. */
export interface EndedLoop {
  readonly outcome: LoopOutcome;
  readonly transcript: readonly TranscriptMessage[];
  /** Where the fault struck. */
  readonly point: string;
  readonly fault: PointFault;
}

export interface LoopFaultTest extends Pick<
  FaultStageOptions,
  'configModule' | 'configArguments' | 'temporalAddress' | 'namespace' | 'settings' | 'workflowBundle'
> {
  /** A database for tests alone; its tables are made if they are missing. */
  readonly databaseUrl: string;
  /** The agent, as the config names it. */
  readonly agent: string;
  readonly message: string;
  /** @default each point that the loop comes to without a fault */
  readonly points?: readonly string[];
  /** @default all */
  readonly faults?: readonly PointFault[];
  /** The file of `openLedger`, to which the tools append what they did. @default side effects are not checked */
  readonly ledgerPath?: string;
  /** What must hold for each loop besides: a sentence for each thing that is wrong. @default nothing */
  readonly invariants?: (loop: EndedLoop) => readonly string[] | Promise<readonly string[]>;
}

export interface LoopFaultReport {
  readonly points: readonly string[];
  /** Loops that were run, the one without a fault among them. */
  readonly loops: number;
  /** Empty where all is well. Those of your own have the id `your-invariants`. */
  readonly violations: readonly Violation[];
}

/**
 * Each loop must end as the one without a fault, with the invariants of the engine and your own. The model must always have an
 * answer: a scripted one with `times: 'always'`, or a real one.
 * @throws Error where a point is not reached, or a loop does not reach its end
 */
export async function testLoopAgainstFaults(options: LoopFaultTest): Promise<LoopFaultReport> {
  await migrate(options.databaseUrl);
  const calm = await runCalmly(options);
  const points = options.points ?? calm.points;
  const violations: Violation[] = [];
  const faults = options.faults ?? POINT_FAULTS;
  for (const fault of faults) violations.push(...(await testFault(options, fault, points)));
  const ledger = options.ledgerPath === undefined ? {} : { ledger: openLedger(options.ledgerPath) };
  violations.push(...(await checkInvariants({ databaseUrl: options.databaseUrl, ...ledger, ends: [calm.outcome.status] })));
  return { points, loops: 1 + faults.length * points.length, violations };
}

async function migrate(databaseUrl: string): Promise<void> {
  const db = createDatabase({ connectionString: databaseUrl, onIdleError: () => undefined });
  await migrateToLatest(db).finally(() => db.destroy());
}

async function withStage<Result>(options: LoopFaultTest, use: (stage: FaultStage) => Promise<Result>): Promise<Result> {
  const stage = await openFaultStage(toStageOptions(options));
  return use(stage).finally(() => stage.close());
}

function toStageOptions(options: LoopFaultTest): FaultStageOptions {
  const {
    agent: _agent,
    message: _message,
    points: _points,
    faults: _faults,
    ledgerPath: _path,
    invariants: _invariants,
    ...stage
  } = options;
  return stage;
}

/** The points in the order of a step. */
function runCalmly(options: LoopFaultTest): Promise<{ readonly points: readonly string[]; readonly outcome: LoopOutcome }> {
  return withStage(options, async (stage) => {
    await stage.startWorker();
    const { loopId } = await stage.client.start({ agent: options.agent, message: options.message });
    await stage.waitForEnd([loopId]);
    return { points: FAULT_POINTS.filter((point) => stage.director.reached.has(point)), outcome: await stage.client.result(loopId) };
  });
}

function testFault(options: LoopFaultTest, fault: PointFault, points: readonly string[]): Promise<readonly Violation[]> {
  const { agent, message, invariants = () => [] } = options;
  return withStage(options, async (stage) => {
    const start = () => stage.client.start({ agent, message });
    const loopIds = await runFaultRound(
      stage,
      fault,
      points.map((point) => ({ point, start })),
    );
    const violations = await Promise.all(
      loopIds.map(async (loopId, index): Promise<readonly Violation[]> => {
        const point = points[index] ?? '';
        const sentences = await invariants({
          outcome: await stage.client.result(loopId),
          transcript: await stage.client.transcript(loopId),
          point,
          fault,
        });
        return sentences.map((sentence) => ({ id: 'your-invariants', loopId, detail: `${fault} at ${point}: ${sentence}` }));
      }),
    );
    return violations.flat();
  });
}
