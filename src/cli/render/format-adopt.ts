/** What adoption takes over, or took over. */

import type { AdoptReport } from '../../db/loops/adopt';
import type { Paint } from './paint';
import { formatNumber, plural } from './text';

export function formatAdopt(
  { loops, liveLoops }: AdoptReport,
  { isDone, paint }: { readonly isDone: boolean; readonly paint: Paint },
): string {
  const lines = Object.entries(loops).map(([namespaceId, count]) => `  ${formatNumber(count).padStart(7)}  of namespace ${namespaceId}`);
  if (lines.length === 0) return `${paint.green('✓')} all loops belong to this Temporal server already`;
  const total = Object.values(loops).reduce((sum, count) => sum + count, 0);
  const live = `${plural(liveLoops, 'of them goes on', 'of them go on')}`;
  if (!isDone)
    return [
      `${plural(total, 'loop')} would be adopted; ${live} here:`,
      ...lines,
      paint.dim('nothing was done; --yes does it. Make sure that their old server is gone.'),
    ].join('\n');
  return [`${paint.green('✓')} ${plural(total, 'loop')} adopted:`, ...lines, `${live} once they are started: solidloop reconcile`].join(
    '\n',
  );
}
