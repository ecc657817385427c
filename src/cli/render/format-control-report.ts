/** What a verb did, or would do, to all loops of a selection. */

import type { ControlManyReport } from '../../db/control/control-many';
import type { ControlVerb } from '../../domain/control';
import type { Paint } from './paint';
import { formatNumber, plural } from './text';

export interface ReportFormat {
  /** False: only counted. */
  readonly isDone: boolean;
  readonly paint: Paint;
}

export function formatControlReport(verb: ControlVerb, { selected, results }: ControlManyReport, { isDone, paint }: ReportFormat): string {
  const total = Object.values(selected).reduce((sum, count) => sum + count, 0);
  const lines = countLines(isDone ? results : selected);
  if (total === 0) return paint.dim(`no loop fits for ${verb}`);
  if (!isDone) return [`${verb} would reach ${plural(total, 'loop')}:`, ...lines, paint.dim('nothing was done; --yes does it')].join('\n');
  return [`${paint.green('✓')} ${verb} reached ${plural(total, 'loop')}:`, ...lines].join('\n');
}

const countLines = (counts: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(counts).map(([name, count]) => `  ${formatNumber(count).padStart(7)}  ${name}`);
