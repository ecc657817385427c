/** One fault, and many loops that each meet it at a point of their own: all are held at their points, then it strikes them at once. */

import { setTimeout as delay } from 'node:timers/promises';
import type { StartedLoop } from '../../db/loops/start-loop';
import type { FaultStage } from './open-fault-stage';
import type { Hold } from './fault-director';

/**
 * `kill`: the process dies. `zombie`: it is stopped for longer than its heartbeats and leases allow, and wakes when another
 * has finished the loops. `cut`: its connections to Postgres break and none can be made for a while; it lives on.
 */
export const POINT_FAULTS = ['kill', 'zombie', 'cut'] as const;
export type PointFault = (typeof POINT_FAULTS)[number];

export interface RoundCase {
  readonly point: string;
  /** Arrivals of the loop at the point that are held. @default 1 */
  readonly count?: number;
  readonly start: () => Promise<StartedLoop>;
  /** Called when a worker runs: what brings the loop to its point, if it does not come there by itself. */
  readonly prompt?: (loop: StartedLoop) => Promise<unknown>;
}

const REACH_LIMIT_MS = 120_000;
const OUTAGE_MS = 2_000;

/** Answers the loops' ids, in the order of the cases. @throws Error where a point is not reached or a loop does not end */
export async function runFaultRound(stage: FaultStage, fault: PointFault, cases: readonly RoundCase[]): Promise<readonly string[]> {
  const held = await Promise.all(
    cases.map(async ({ point, count = 1, start, prompt }) => {
      const loop = await start();
      return { point, loop, prompt, hold: stage.director.hold({ point, workflowId: loop.workflowId, count }) };
    }),
  );
  const victim = await stage.startWorker();
  await Promise.all(held.map(async ({ point, hold, prompt, loop }) => Promise.all([prompt?.(loop), reached(point, hold)])));
  const loopIds = held.map(({ loop }) => loop.loopId);
  const release = (): void => held.forEach(({ hold }) => hold.release());
  switch (fault) {
    case 'kill':
      await victim.kill();
      await stage.startWorker();
      await stage.waitForEnd(loopIds);
      break;
    case 'zombie':
      victim.stop();
      await stage.startWorker();
      await stage.waitForEnd(loopIds);
      victim.continue();
      release();
      await victim.terminate();
      break;
    case 'cut':
      stage.postgres.refuse();
      release();
      await delay(OUTAGE_MS);
      stage.postgres.heal();
      await stage.waitForEnd(loopIds);
  }
  return loopIds;
}

async function reached(point: string, hold: Hold): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no step came to ${point} within ${REACH_LIMIT_MS} ms`)), REACH_LIMIT_MS);
  });
  await Promise.race([hold.reached, late]).finally(() => clearTimeout(timer));
}
