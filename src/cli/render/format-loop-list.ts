/** `solidloop list`: one line a loop. */

import type { Loop } from '../../domain/loop';
import { formatDuration } from '../../util/format-duration';
import { formatAnswersCost } from './format-summary';
import { type Column, formatTable } from './format-table';
import { type Paint, paintStatus } from './paint';
import { formatNumber, shorten } from './text';

const TITLE_LIMIT_CHARS = 48;

export function formatLoopList(loops: readonly Loop[], now: Date, paint: Paint): string {
  if (loops.length === 0) return paint.dim('no loops');
  return formatTable(loops, columns(now, paint), paint.dim);
}

const columns = (now: Date, paint: Paint): readonly Column<Loop>[] => [
  { head: 'LOOP', of: (loop) => loop.id, align: 'right' },
  {
    head: 'STATUS',
    of: (loop) => (loop.adminFrozen ? 'frozen' : loop.status),
    paint: (cell, loop) => paintStatus(paint, loop.status, cell),
  },
  { head: 'AGENT', of: (loop) => loop.agentName },
  { head: 'TURNS', of: (loop) => formatNumber(loop.counters.steps), align: 'right' },
  { head: 'TOKENS', of: (loop) => formatNumber(loop.counters.tokensTotal), align: 'right' },
  { head: 'COST', of: (loop) => formatAnswersCost(loop.counters), align: 'right' },
  {
    head: 'SINCE',
    of: (loop) => formatDuration((now.getTime() - loop.statusChangedAt.getTime()) / 1000),
    align: 'right',
    paint: paint.dim,
  },
  { head: 'SUBJECT', of: (loop) => (loop.subject === null ? '' : `${loop.subject.type}:${loop.subject.id}`) },
  { head: 'ABOUT', of: aboutOf, paint: (cell, loop) => (loop.errorCode === null || loop.status === 'completed' ? cell : paint.red(cell)) },
];

/** Why it failed, or its title. */
function aboutOf(loop: Loop): string {
  return shorten(loop.status === 'failed' && loop.errorCode !== null ? loop.errorCode : (loop.title ?? ''), TITLE_LIMIT_CHARS);
}
