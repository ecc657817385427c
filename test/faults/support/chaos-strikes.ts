/** How each fault of the plan strikes the process, the connections, the activity or the servers of a step at its point. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Arrival } from '../../../src/testing/faults/start-worker-process';
import type { Strike } from './chaos-plan';
import type { ChaosServers } from './chaos-servers';
import type { OwnStage } from './open-stage';
import type { TemporalOperator } from './temporal-operator';

export interface StrikeParts {
  readonly stage: OwnStage;
  readonly operator: TemporalOperator;
  /** Only of a run whose plan has outages. */
  readonly servers?: ChaosServers | undefined;
}

/** The step goes on when this resolves. */
export async function strikeAt(arrival: Arrival, strike: Strike, { stage, operator, servers }: StrikeParts): Promise<unknown> {
  const { worker, workflowId } = arrival;
  switch (strike.kind) {
    case 'kill':
      return worker.kill();
    case 'terminate':
      return void worker.terminate(); // its shutdown waits for this step
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
    case 'refuse-temporal':
      return refuse(strike.kind === 'refuse-postgres' ? stage.postgres : stage.temporal, strike.forMs);
    case 'reset-workflow':
      return operator.reset(workflowId);
    case 'reset-activity':
      return operator.resetActivity(arrival);
    case 'pause-activity':
      return pauseActivity(operator, arrival, strike.forMs);
    case 'crash-postgres':
      return servers?.crashPostgres();
    case 'restart-temporal':
      return servers?.restartTemporal();
  }
}

async function refuse(proxy: OwnStage['temporal'], forMs: number): Promise<void> {
  proxy.refuse();
  await delay(forMs);
  proxy.heal();
}

/** The step goes on at once: the pause meets it at work, or between two of its attempts. */
async function pauseActivity(operator: TemporalOperator, arrival: Arrival, forMs: number): Promise<void> {
  if (!(await operator.pauseActivity(arrival))) return;
  void delay(forMs).then(() => operator.unpauseActivity(arrival));
}
