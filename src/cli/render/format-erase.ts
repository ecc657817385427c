/** What `solidloop erase` and `solidloop prune` deleted, or would delete. */

import type { EraseReport, LoopRowCounts } from '../../db/loops/erase-loop';
import type { PruneReport } from '../../db/loops/prune';
import type { Paint } from './paint';
import { formatNumber } from './text';

interface ReportFormat {
  readonly isDone: boolean;
  readonly paint: Paint;
}

const ROWS: Readonly<Record<keyof LoopRowCounts, string>> = {
  messages: 'messages of the transcript',
  toolCalls: 'tool calls',
  events: 'events and requests of the wire log',
  wireMessages: 'messages of the wire log that no other loop has',
  liveParts: 'parts of live streams',
  controlRequests: 'control requests',
  mcpSessions: 'MCP sessions',
};

export function formatErase({ loopId, workflowId, status, rows }: EraseReport, { isDone, paint }: ReportFormat): string {
  return [
    isDone ? `${paint.green('✓')} loop ${loopId} is erased, with` : `loop ${loopId} (${status}) would be erased, with`,
    ...formatCounts(rows, ROWS),
    paint.dim(
      `Temporal keeps the history of ${workflowId} until its retention is over: ids, no content, unless a Temporal client sent it.`,
    ),
    ...(isDone ? [] : [paint.dim('nothing was done; --yes does it')]),
  ].join('\n');
}

const PRUNED: Readonly<Record<keyof PruneReport, string>> = {
  loops: 'loops that ended, with all their rows',
  wireEvents: 'requests of the wire log',
  wireMessages: 'messages of the wire log that nothing refers to',
  events: 'other events',
  reconcilerRuns: 'runs of the reconciler',
  liveParts: 'parts of live streams',
};

export function formatPrune(report: PruneReport, { isDone, paint }: ReportFormat): string {
  const counts = formatCounts(report, PRUNED);
  if (counts.length === 0) return `${paint.green('✓')} nothing is that old`;
  if (isDone) return [`${paint.green('✓')} deleted:`, ...counts].join('\n');
  return ['would be deleted:', ...counts, paint.dim('nothing was done; --yes does it')].join('\n');
}

const formatCounts = <Kind extends string>(
  counts: Readonly<Record<Kind, number>>,
  words: Readonly<Record<Kind, string>>,
): readonly string[] =>
  (Object.keys(words) as Kind[])
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `  ${formatNumber(counts[kind]).padStart(7)}  ${words[kind]}`);
