/** The last line of a loop: how it ended, what it took, what it cost. */

import type { Loop, LoopCounters } from '../../domain/loop';
import { formatDuration } from '../../util/format-duration';
import { type Paint, paintStatus } from './paint';
import { formatCost, formatNumber, plural, printable } from './text';

const MARKS = { completed: '✓', failed: '✗', cancelled: '■', paused: '‖', init: '·', queued: '·', running: '·' } as const;

/** "✓ completed · 2 turns · 1,234 tokens (820 in, 414 out) · $0.0012 · 3.4 s", and below it why it failed. */
export function formatSummary(loop: Loop, paint: Paint): string {
  const facts = [
    plural(loop.counters.steps, 'turn'),
    formatTokens(loop.counters),
    formatLoopCost(loop.counters),
    formatDuration(secondsOf(loop)),
  ];
  const line = `${paintStatus(paint, loop.status, `${MARKS[loop.status]} ${loop.status}`)} ${paint.dim(`· ${facts.filter((fact) => fact !== '').join(' · ')}`)}`;
  return loop.errorCode === null ? line : `${line}\n${formatLoopError(loop, paint)}`;
}

/** An end that is no fault (a context that is full) has a note, not an error. */
function formatLoopError({ status, errorCode, errorMessage }: Loop, paint: Paint): string {
  const text = errorMessage === null ? (errorCode ?? '') : printable(errorMessage);
  return status === 'completed' ? paint.yellow(text) : paint.red(`${errorCode}: ${text}`);
}

export function formatTokens(counters: LoopCounters): string {
  if (counters.tokensTotal === 0) return '';
  const cached = counters.tokensPromptCached === 0 ? '' : `, ${formatNumber(counters.tokensPromptCached)} cached`;
  return `${plural(counters.tokensTotal, 'token')} (${formatNumber(counters.tokensPrompt)} in${cached}, ${formatNumber(counters.tokensCompletion)} out)`;
}

/** What the answers of the transcript cost, and what was paid beside them. */
export function formatLoopCost(counters: LoopCounters): string {
  const answers = formatAnswersCost(counters);
  return Number(counters.costDiscarded) === 0 ? answers : `${answers} + ${formatCost(counters.costDiscarded)} for answers thrown away`;
}

/** Unknown is said, never shown as nothing. */
export function formatAnswersCost(counters: LoopCounters): string {
  if (!counters.costKnown) return Number(counters.cost) === 0 ? 'cost unknown' : `at least ${formatCost(counters.cost)}`;
  return formatCost(counters.cost);
}

const secondsOf = (loop: Loop): number => (loop.statusChangedAt.getTime() - loop.createdAt.getTime()) / 1000;
