/** A line of the process's log for a person: what happened, then the fields that say to which loop. */

import type { Paint } from './paint';
import { printable } from './text';

const WARNING = 40;
const ERROR = 50;
const FIELDS_OF_EVERY_LINE = ['level', 'time', 'msg', 'pid', 'hostname'];

/** `line` is one JSON object; anything else is given back as it is. */
export function formatLogLine(line: string, paint: Paint): string {
  const entry = parse(line);
  if (entry === undefined) return line.trimEnd();
  const level = Number(entry.level);
  const mark = level >= ERROR ? paint.red('error') : level >= WARNING ? paint.yellow('warning') : paint.dim('note');
  const fields = Object.entries(entry).filter(([name]) => !FIELDS_OF_EVERY_LINE.includes(name));
  const rest = fields.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ');
  const sentence = typeof entry.msg === 'string' ? printable(entry.msg) : '';
  return `${mark} ${sentence}${rest === '' ? '' : ` ${paint.dim(printable(rest))}`}`;
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
