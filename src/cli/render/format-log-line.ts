/** A line of the process's log for a person: what happened, then the fields that say to which loop. */

import type { Paint } from './paint';
import { printable, shorten } from './text';

const WARNING = 40;
const ERROR = 50;
/** What every line has, and what Temporal's runtime adds for machines. */
const UNTOLD = [
  'level',
  'time',
  'msg',
  'pid',
  'hostname',
  'sdkComponent',
  'taskToken',
  'workflowRunId',
  'runId',
  'isLocal',
  'namespace',
  'activityId',
  'durationMs',
];
const FIELD_LIMIT_CHARS = 200;

/** `line` is one JSON object; anything else is given back as it is. */
export function formatLogLine(line: string, paint: Paint): string {
  const entry = parse(line);
  if (entry === undefined) return line.trimEnd();
  const level = Number(entry.level);
  const mark = level >= ERROR ? paint.red('error') : level >= WARNING ? paint.yellow('warning') : paint.dim('note');
  const fields = Object.entries(entry).filter(([name]) => !UNTOLD.includes(name));
  const rest = fields.map(([name, value]) => `${name}=${shorten(wordOf(value), FIELD_LIMIT_CHARS)}`).join(' ');
  const sentence = typeof entry.msg === 'string' ? printable(entry.msg) : '';
  return `${mark} ${sentence}${rest === '' ? '' : ` ${paint.dim(rest)}`}`;
}

/** Of an error its message: the stack is in the machine's log, with SOLIDLOOP_LOG_LEVEL and `solidloop worker`. */
function wordOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value !== null && typeof value === 'object' && 'message' in value && typeof value.message === 'string') return value.message;
  return JSON.stringify(value);
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
