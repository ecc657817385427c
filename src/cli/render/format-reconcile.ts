/** What the reconciler did, or would do. */

import type { ReconcileCase, ReconcileCounts } from '../../db/reconcile/reconcile-options';
import type { Paint } from './paint';
import { formatNumber } from './text';

const WORDS: Readonly<Record<ReconcileCase, string>> = {
  workflowsStarted: 'workflows that were gone are started again',
  loopsPaused: 'loops whose workflow a person terminated are paused',
  loopsFailed: 'loops whose workflow closed again and again have failed',
  wakesSent: 'wakes that nobody read are sent again',
  shellsFailed: 'answers that were cut off are closed',
  leasesCleared: 'leases of loops at rest are cleared',
  hooksFinished: 'loops have had their missing hooks',
  finishesTold: 'ends of loops are told to those who had not taken them',
  foreignLoops: 'live loops belong to another Temporal server and were left alone; see solidloop adopt',
  temporalUnavailable: 'Temporal could not be asked: nothing was done from there on',
};

export function formatReconcile(counts: ReconcileCounts, { dryRun, paint }: { readonly dryRun: boolean; readonly paint: Paint }): string {
  const lines = (Object.keys(WORDS) as ReconcileCase[])
    .filter((name) => counts[name] > 0)
    .map((name) => `  ${formatNumber(counts[name]).padStart(7)}  ${WORDS[name]}`);
  if (lines.length === 0) return `${paint.green('✓')} the tables and Temporal agree`;
  return [...lines, ...(dryRun ? [paint.dim('nothing was done (--dry-run)')] : [])].join('\n');
}
