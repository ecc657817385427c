/** What becomes of a live loop whose workflow is gone: decided again under its lock, so that of two reconcilers one acts (R70, R72, R73). */

import type { DrivenLoop, TemporalDriver, WorkflowState } from '../../domain/temporal-driver';
import type { Database, DatabaseTransaction } from '../database';
import { failLoop } from '../loops/fail-loop';
import { notifyControl } from '../loops/notify-control';
import { type LockedLoop, lockLoop } from '../repositories/loops.repository';
import { setLoopAtRest } from '../loops/set-loop-at-rest';
import { inTransaction, namingUnavailable } from '../transaction';
import type { SeenLoop } from './find-live-loops';
import type { ReconcileCase, ReconcileOptions } from './reconcile-options';

/** Workflows started again without a committed turn between (R72). */
const MAXIMUM_REVIVALS = 5;

/** `running` never comes here. */
export type GoneState = Exclude<WorkflowState, 'running'>;

export interface GoneWorkflow {
  readonly seen: SeenLoop;
  readonly state: GoneState;
}

type Decision = Extract<ReconcileCase, 'workflowsStarted' | 'loopsPaused' | 'loopsFailed'> | 'nothing';

/** Answers what was done, or would be in a dry run. @throws DatabaseUnavailable, TemporalUnavailable */
export async function repairGoneWorkflow(
  db: Database,
  temporal: Pick<TemporalDriver, 'start'>,
  gone: GoneWorkflow,
  { dryRun, onTerminated = 'pause' }: Pick<ReconcileOptions, 'dryRun' | 'onTerminated'>,
): Promise<Decision> {
  if (dryRun) return decide(gone, onTerminated);
  const decision = await inTransaction(db, async (trx) => {
    const locked = await lockLoop(trx, gone.seen.id);
    if (!isAsSeen(locked, gone.seen)) return 'nothing';
    const decided = decide(gone, onTerminated);
    await write(trx, gone, decided);
    return decided;
  });
  if (decision === 'workflowsStarted') await startCounted(db, temporal, gone.seen);
  return decision;
}

function decide({ seen, state }: GoneWorkflow, onTerminated: 'pause' | 'restart'): Decision {
  if (state === 'terminated' && onTerminated === 'pause') return seen.status === 'paused' ? 'nothing' : 'loopsPaused';
  if (seen.revivals < MAXIMUM_REVIVALS) return 'workflowsStarted';
  return seen.status === 'paused' ? 'nothing' : 'loopsFailed';
}

/** A wake that is due, a new run, a claim or any control since then: somebody else is at work. */
function isAsSeen({ loop, runId, revivals, wakeDueAt }: LockedLoop, seen: SeenLoop): boolean {
  return (
    loop.status === seen.status &&
    loop.generation === seen.generation &&
    runId === seen.runId &&
    revivals === seen.revivals &&
    wakeDueAt === null
  );
}

async function write(trx: DatabaseTransaction, { seen, state }: GoneWorkflow, decision: Decision): Promise<void> {
  switch (decision) {
    case 'workflowsStarted':
      await trx
        .updateTable('loops')
        .set({ revivals: seen.revivals + 1 })
        .where('id', '=', seen.id)
        .execute();
      return;
    case 'loopsPaused':
      await setLoopAtRest(trx, seen.id, {
        status: 'paused',
        by: 'temporal',
        reason: 'its workflow was terminated in Temporal; resume starts it again',
      });
      await notifyControl(trx, seen.id);
      return;
    case 'loopsFailed':
      await failLoop(
        trx,
        seen.id,
        'TurnKeepsDying',
        `the workflow was started again ${seen.revivals} times without a committed turn, and is ${state} once more; look at its history in Temporal, then retry`,
      );
      return;
    case 'nothing':
      return;
  }
}

/** A start that Temporal did not take is none, and is not counted. */
async function startCounted(db: Database, temporal: Pick<TemporalDriver, 'start'>, seen: SeenLoop): Promise<void> {
  const loop: DrivenLoop = { id: seen.id, workflowId: seen.workflowId, taskQueue: seen.taskQueue, agentName: seen.agentName };
  try {
    await temporal.start(loop);
  } catch (error) {
    await forgetRevival(db, seen);
    throw error;
  }
}

async function forgetRevival(db: Database, { id, revivals }: SeenLoop): Promise<void> {
  const counted = db
    .updateTable('loops')
    .where('id', '=', id)
    .where('revivals', '=', revivals + 1);
  await namingUnavailable(() => counted.set({ revivals }).execute());
}
