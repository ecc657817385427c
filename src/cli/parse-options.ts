/** Texts of the command line → values. What is wrong is said with the option's name, before anything is connected. */

import { InvalidArgumentError } from 'commander';
import { checkLimits } from '../domain/check-limits';
import { messageOf } from '../domain/errors';
import { isRowId } from '../domain/ids';
import { type JsonObject, LOOP_STATUSES, type LoopLimits, type LoopStatus, type Subject } from '../domain/loop';

/** Each throws commander's InvalidArgumentError, which names the option. */
export function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value <= 0) throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
}

export function parseWholeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `30d`, `12h`, `45m`, `90s` → seconds. */
export function parseAge(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const seconds = SECONDS[unit];
  if (seconds === undefined) throw new InvalidArgumentError('It must be an age, for instance 30d, 12h or 45m.');
  return Number(count) * seconds;
}

export function parseRowId(text: string): string {
  if (!isRowId(text)) throw new InvalidArgumentError('It must be the number of a row.');
  return text;
}

/** `order:17`. The id may hold colons. */
export function parseSubject(text: string): Subject {
  const colon = text.indexOf(':');
  if (colon <= 0 || colon === text.length - 1) throw new InvalidArgumentError('It must be type:id, for instance order:17.');
  return { type: text.slice(0, colon), id: text.slice(colon + 1) };
}

/** `running,paused` */
export function parseStatuses(text: string): readonly LoopStatus[] {
  return text.split(',').map((name) => {
    const status = LOOP_STATUSES.find((known) => known === name.trim());
    if (status === undefined) throw new InvalidArgumentError(`"${name.trim()}" is no status; there are: ${LOOP_STATUSES.join(', ')}.`);
    return status;
  });
}

export function parseJsonObject(text: string): JsonObject {
  const value = parseJson(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new InvalidArgumentError('It must be a JSON object, for instance {"a":1}.');
  return value as JsonObject;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON (${messageOf(error)}).`);
  }
}

/** A limit of time in seconds, a cost as an exact decimal. */
export interface LimitOptions {
  readonly steps?: number;
  readonly tokens?: number;
  readonly costUsd?: string;
  readonly durationSeconds?: number;
}

/** Undefined where none is given. @throws InvalidInput */
export function limitsOf({ steps, tokens, costUsd, durationSeconds }: LimitOptions): LoopLimits | undefined {
  const given = Object.entries({ steps, tokens, costUsd, durationSeconds }).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : checkLimits(Object.fromEntries(given));
}
