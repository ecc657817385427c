/** What a response cost: as the provider says, else by price and tokens, else unknown (R6, P115). */

import { Decimal } from 'decimal.js';
import type { Cost, TokenUsage } from '../../domain/usage';
import { priceOf, type PriceQuestion } from './price-of';
import { readCacheWrites } from './read-usage';
import { readReportedCost } from './reported-cost';

export interface CostQuestion {
  readonly model: PriceQuestion['model'];
  readonly usage: TokenUsage;
  /** The provider's own usage object. */
  readonly rawUsage?: unknown;
}

/** Of the decimal places in the tables. */
const DECIMAL_PLACES = 10;

export const UNKNOWN_COST: Cost = { amountUsd: '0', isKnown: false };

/** Exact to ten places of USD, half rounded up. */
export function costOfUsage({ model, usage, rawUsage }: CostQuestion): Cost {
  const reported = readReportedCost(rawUsage);
  if (reported !== undefined) return knownCost(reported);
  if (usage.prompt === null || usage.completion === null) return UNKNOWN_COST;
  const prices = priceOf({ model, promptTokens: usage.prompt });
  if (prices === undefined) return UNKNOWN_COST;
  const cached = Math.min(usage.promptCached ?? 0, usage.prompt);
  const written = Math.min(readCacheWrites(rawUsage), usage.prompt - cached);
  return knownCost(
    prices.input
      .times(usage.prompt - cached - written)
      .plus(prices.cachedInput.times(cached))
      .plus(prices.cacheWrite.times(written))
      .plus(prices.output.times(usage.completion)),
  );
}

/** The sum of the costs of several requests of one turn; known only if all are. */
export function addCosts(first: Cost, second: Cost): Cost {
  return { amountUsd: toAmount(new Decimal(first.amountUsd).plus(second.amountUsd)), isKnown: first.isKnown && second.isKnown };
}

const knownCost = (amount: Decimal): Cost => ({ amountUsd: toAmount(amount), isKnown: true });

const toAmount = (amount: Decimal): string => amount.toDecimalPlaces(DECIMAL_PLACES, Decimal.ROUND_HALF_UP).toFixed();
