/** Two reconcilers that run against each other, each second, while chaos goes on. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { createTemporalDriver } from '../../../src/client/temporal-driver';
import type { Database } from '../../../src/db/database';
import { reconcile } from '../../../src/db/reconcile/reconcile';
import { isSolidLoopError } from '../../../src/domain/errors';

const EVERY_MS = 1_000;
const SETTINGS = { queuedReapThreshold: 5 };

export interface ChaosReconcilers {
  /** Answers what they did, by case. @throws what they failed with, apart from servers that were away */
  readonly stop: () => Promise<ReadonlyMap<string, number>>;
}

export function startChaosReconcilers(db: Database, client: Client): ChaosReconcilers {
  const temporal = createTemporalDriver(client);
  const done = new Map<string, number>();
  let isStopped = false;
  const run = async (): Promise<void> => {
    const counts = await reconcile(db, temporal, { namespaceId: await temporal.namespaceId(), settings: SETTINGS, dryRun: false });
    for (const [name, times] of Object.entries(counts)) if (times > 0) done.set(name, (done.get(name) ?? 0) + times);
  };
  const runOnAndOn = async (): Promise<void> => {
    while (!isStopped) {
      await run().catch((error: unknown) => {
        if (!isSolidLoopError(error, 'DatabaseUnavailable') && !isSolidLoopError(error, 'TemporalUnavailable')) throw error;
      });
      await delay(EVERY_MS);
    }
  };
  const both = Promise.all([runOnAndOn(), runOnAndOn()]);
  both.catch(() => undefined); // said by `stop`
  return {
    stop: async () => {
      isStopped = true;
      await both;
      return done;
    },
  };
}
