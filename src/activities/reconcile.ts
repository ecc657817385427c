/** Compares the tables with Temporal and repairs what Temporal lost (R70-R73); runs hooks and notices that were missed (R47). */

import { Context } from '@temporalio/activity';
import { reconcile } from '../db/reconcile/reconcile';
import type { ReconcileOptions } from '../db/reconcile/reconcile-options';
import { getLoop } from '../db/repositories/loops.repository';
import type { ActivityDependencies } from './dependencies';
import { tellFinished, wantsFinish } from './finished/tell-finished';
import { runMessageHooks } from './run-message-hooks';
import { withMappedFailures } from './with-mapped-failures';

export const createReconcile = (deps: ActivityDependencies) =>
  withMappedFailures(async (): Promise<Readonly<Record<string, number>>> =>
    reconcile(deps.db, deps.temporal, {
      namespaceId: deps.namespaceId,
      settings: deps.settings,
      dryRun: false,
      ...(deps.config.onTerminated === undefined ? {} : { onTerminated: deps.config.onTerminated }),
      hooks: missedHooks(deps),
      finishes: missedFinishes(deps),
      signal: Context.current().cancellationSignal,
    }),
  );

const missedHooks = (deps: ActivityDependencies): NonNullable<ReconcileOptions['hooks']> => ({
  agents: deps.agents.names.filter((name) => deps.agents.get(name).hooks?.onMessageCreated !== undefined),
  finish: async (loopId) => {
    const loop = await getLoop(deps.db, loopId);
    const agent = deps.agents.find(loop.agentName);
    if (agent !== undefined) await runMessageHooks(deps, agent, loop);
  },
});

const missedFinishes = (deps: ActivityDependencies): NonNullable<ReconcileOptions['finishes']> => ({
  agents: deps.agents.names.filter((name) => wantsFinish(deps, name)),
  tell: (loopId) => tellFinished(deps, loopId),
});
