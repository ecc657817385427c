/** The strict check of a loop's limits (R45), for a start and for `setLimits`. */

import { checkFields, invalidInput } from './input-checks';
import type { LoopLimits } from './loop';

const DECIMAL = /^\d{1,5}(\.\d{1,10})?$/;

/** @throws InvalidInput that names the limit */
export function checkLimits(value: unknown): LoopLimits {
  const { steps, tokens, costUsd, durationSeconds } = checkFields(value, 'limits', ['steps', 'tokens', 'costUsd', 'durationSeconds']);
  return {
    ...(steps === undefined ? {} : { steps: positiveInteger(steps, 'limits.steps') }),
    ...(tokens === undefined ? {} : { tokens: positiveInteger(tokens, 'limits.tokens') }),
    ...(costUsd === undefined ? {} : { costUsd: decimal(costUsd, 'limits.costUsd') }),
    ...(durationSeconds === undefined ? {} : { durationSeconds: positiveSeconds(durationSeconds, 'limits.durationSeconds') }),
  };
}

function positiveInteger(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) throw invalidInput(field, 'must be a positive whole number');
  return value;
}

function positiveSeconds(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) throw invalidInput(field, 'must be a positive number of seconds');
  return value;
}

function decimal(value: unknown, field: string): string {
  if (typeof value === 'string' && DECIMAL.test(value)) return value;
  throw invalidInput(field, 'must be an exact decimal as text, such as "2.50", with at most five digits before the point and ten after it');
}
