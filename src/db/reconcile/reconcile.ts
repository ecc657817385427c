/** Repairs what Temporal lost (R70-R73): compares the tables with Temporal, starts workflows, and counts what it did. */

import { isSolidLoopError, messageOf } from '../../domain/errors';
import type { TemporalDriver } from '../../domain/temporal-driver';
import { bindInstallation, readInstallation } from '../loops/bind-installation';
import type { Database } from '../database';
import { clearLeasesAtRest, failShellsAtRest } from './clean-loops-at-rest';
import { countForeignLoops, findLiveLoops, type SeenLoop } from './find-live-loops';
import { finishHooks } from './finish-hooks';
import { type ReconcileCounts, type ReconcileOptions, ReconcileTally } from './reconcile-options';
import { tellFinishes } from './tell-finishes';
import { finishRun, insertRun } from './reconciler-run';
import { repairGoneWorkflow } from './repair-gone-workflow';
import { sendOverdueWakes } from './send-overdue-wakes';

/** Describes that are asked at one time. */
const PARALLEL_DESCRIBES = 10;

/**
 * Each repair is a transaction of its own, its condition checked again under the loop's lock: two runs at once are harmless.
 * While Temporal cannot be asked nothing is done, and the counts say so. A run that writes leaves a row.
 * @throws DatabaseUnavailable, and what a hook's finisher throws
 */
export async function reconcile(db: Database, temporal: TemporalDriver, options: ReconcileOptions): Promise<ReconcileCounts> {
  const tally = new ReconcileTally();
  if (options.dryRun) {
    await compare(db, temporal, options, tally);
    return tally.counts;
  }
  const runId = await insertRun(db);
  try {
    const error = await compare(db, temporal, options, tally);
    await finishRun(db, runId, tally.counts, error);
  } catch (error) {
    await finishRun(db, runId, tally.counts, messageOf(error));
    throw error;
  }
  return tally.counts;
}

/** Answers the sentence of what was in the way, or null. */
async function compare(db: Database, temporal: TemporalDriver, options: ReconcileOptions, tally: ReconcileTally): Promise<string | null> {
  try {
    const namespaceId = await temporal.namespaceId();
    tally.add('foreignLoops', await countForeignLoops(db, namespaceId));
    const binding = await (options.dryRun ? readInstallation : bindInstallation)(db, namespaceId);
    if (binding.kind === 'foreign') {
      return `these tables belong to Temporal namespace ${binding.namespaceId}, and this is ${namespaceId}: nothing was started; "solidloop adopt" takes them over`;
    }
    await repairAll(db, temporal, { ...options, namespaceId }, tally);
    return null;
  } catch (error) {
    if (!isSolidLoopError(error, 'TemporalUnavailable')) throw error;
    tally.add('temporalUnavailable');
    return error.message;
  }
}

async function repairAll(db: Database, temporal: TemporalDriver, options: ReconcileOptions, tally: ReconcileTally): Promise<void> {
  tally.add('wakesSent', await sendOverdueWakes(db, temporal, options));
  await repairGoneWorkflows(db, temporal, options, tally);
  tally.add('shellsFailed', await failShellsAtRest(db, options.dryRun));
  tally.add('leasesCleared', await clearLeasesAtRest(db, options.dryRun));
  tally.add('hooksFinished', await finishHooks(db, options));
  tally.add('finishesTold', await tellFinishes(db, options));
}

async function repairGoneWorkflows(
  db: Database,
  temporal: TemporalDriver,
  options: ReconcileOptions,
  tally: ReconcileTally,
): Promise<void> {
  const { namespaceId, settings, signal, onProgress } = options;
  let batch: SeenLoop[] = [];
  for await (const seen of findLiveLoops(db, { namespaceId, queuedReapThreshold: settings.queuedReapThreshold })) {
    batch.push(seen);
    if (batch.length < PARALLEL_DESCRIBES) continue;
    signal?.throwIfAborted();
    await repairBatch(db, temporal, batch, options, tally);
    onProgress?.();
    batch = [];
  }
  await repairBatch(db, temporal, batch, options, tally);
}

async function repairBatch(
  db: Database,
  temporal: TemporalDriver,
  batch: readonly SeenLoop[],
  options: ReconcileOptions,
  tally: ReconcileTally,
): Promise<void> {
  const described = await Promise.all(batch.map(async (seen) => ({ seen, state: await temporal.describe(seen.workflowId) })));
  for (const { seen, state } of described) {
    if (state === 'running') continue;
    const done = await repairGoneWorkflow(db, temporal, { seen, state }, options);
    if (done !== 'nothing') tally.add(done);
  }
}
