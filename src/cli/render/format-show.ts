/** `solidloop show`: what a loop is, its transcript, and its events. */

import type { LoopEvent } from '../../db/wire/read-events';
import { isTerminal, type Loop } from '../../domain/loop';
import type { TranscriptMessage } from '../../domain/message';
import { formatDuration } from '../../util/format-duration';
import { callsOf, formatMessage, type MessageFormat } from './format-message';
import { formatLoopCost, formatSummary, formatTokens } from './format-summary';
import { formatTable } from './format-table';
import { type Paint, paintStatus } from './paint';
import { plural, printable, shorten } from './text';

export interface ShownLoop {
  readonly loop: Loop;
  readonly messages: readonly TranscriptMessage[];
  readonly events: readonly LoopEvent[];
}

export function formatShow(shown: ShownLoop, format: MessageFormat): string {
  const { loop, messages, events } = shown;
  const { paint } = format;
  const blocks = [
    formatFacts(loop, paint),
    joinTranscript(messages, format),
    formatEvents(events, paint),
    paint.dim(formatRequestHint(shown)),
    formatSummary(loop, paint),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** How to see what was sent, of the newest request. */
function formatRequestHint({ loop, events }: ShownLoop): string {
  const request = events.findLast((event) => event.kind === 'llm-request');
  return request === undefined ? '' : `the exact body of a request: solidloop show ${loop.id} --request ${request.id}`;
}

/** Names and values, those that say something. */
export function formatFacts(loop: Loop, paint: Paint): string {
  const facts: readonly (readonly [string, string])[] = [
    ['loop', `${loop.id}  ${paintStatus(paint, loop.status)}${loop.adminFrozen ? paint.yellow(' (frozen)') : ''}`],
    [
      'agent',
      `${printable(loop.agentName)}${loop.definitionHash === null ? '' : paint.dim(` · definition ${loop.definitionHash.slice(0, 12)}`)}`,
    ],
    ['title', printable(loop.title ?? '')],
    ['subject', loop.subject === null ? '' : printable(`${loop.subject.type}:${loop.subject.id}`)],
    ['workflow', `${loop.workflowId} on "${loop.taskQueue}"`],
    ['created', loop.createdAt.toISOString()],
    [
      'turn',
      isTerminal(loop.status)
        ? ''
        : `${loop.turnNumber}${loop.turnFailures === 0 ? '' : `, failed ${plural(loop.turnFailures, 'time')} so far`}`,
    ],
    ['spent', [formatTokens(loop.counters), formatLoopCost(loop.counters)].filter((part) => part !== '').join(' · ')],
    ['limits', Object.keys(loop.limits).length === 0 ? '' : JSON.stringify(loop.limits)],
    ['state', Object.keys(loop.state).length === 0 ? '' : shorten(JSON.stringify(loop.state), 200)],
  ];
  return facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${paint.dim(name.padEnd(9))} ${value}`)
    .join('\n');
}

/** A call and its results stand together; everything else has an empty line before it. */
function joinTranscript(messages: readonly TranscriptMessage[], format: MessageFormat): string {
  const calls = callsOf(messages);
  const blocks = messages.map((message) => ({ role: message.role, text: formatMessage(message, calls, format) }));
  return blocks
    .filter(({ text }) => text !== '')
    .map(({ role, text }, index) => (index === 0 ? text : `${role === 'tool' ? '\n' : '\n\n'}${text}`))
    .join('');
}

export function formatEvents(events: readonly LoopEvent[], paint: Paint): string {
  if (events.length === 0) return '';
  return formatTable(
    events,
    [
      { head: 'EVENT', of: (event) => event.id, align: 'right' },
      { head: 'AT', of: (event) => event.createdAt.toISOString().slice(11, 23), paint: paint.dim },
      { head: 'TURN', of: (event) => (event.turnNumber === null ? '' : String(event.turnNumber)), align: 'right' },
      { head: 'KIND', of: (event) => event.kind },
      { head: 'NAME', of: (event) => shorten(event.name ?? '', 32) },
      {
        head: 'STATUS',
        of: (event) => (event.status === null ? '' : String(event.status)),
        align: 'right',
        paint: (cell, event) => ((event.status ?? 0) >= 400 ? paint.red(cell) : cell),
      },
      { head: 'TOOK', of: (event) => (event.durationSeconds === null ? '' : formatDuration(event.durationSeconds)), align: 'right' },
      {
        head: 'WHAT',
        of: (event) => shorten(event.error ?? event.url ?? '', 90),
        paint: (cell, event) => (event.error === null ? paint.dim(cell) : paint.red(cell)),
      },
    ],
    paint.dim,
  );
}
