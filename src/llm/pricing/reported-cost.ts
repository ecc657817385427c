/** Reads what a provider says that a response cost (P115): exact decimals in USD. */

import { Decimal } from 'decimal.js';
import { isObject, objectAt } from '../foreign-json';

/** The largest amount that the tables can hold for one turn; more is no cost but a fault. */
const AMOUNT_LIMIT = new Decimal(100_000);

/**
 * With the user's own key at the provider behind (`is_byok`), the fee and the upstream's price are two payments;
 * otherwise the one contains the other. Undefined: nothing was reported.
 */
export function readReportedCost(rawUsage: unknown): Decimal | undefined {
  if (!isObject(rawUsage)) return undefined;
  const cost = readAmount(isObject(rawUsage.cost) ? rawUsage.cost.total_cost : rawUsage.cost);
  if (cost === undefined) return undefined;
  const upstream = rawUsage.is_byok === true ? readAmount(objectAt(rawUsage, 'cost_details').upstream_inference_cost) : undefined;
  return upstream === undefined ? cost : cost.plus(upstream);
}

function readAmount(value: unknown): Decimal | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  if (typeof value === 'string' && !/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value.trim())) return undefined;
  const amount = new Decimal(typeof value === 'string' ? value.trim() : value);
  return amount.isFinite() && !amount.isNegative() && amount.lessThan(AMOUNT_LIMIT) ? amount : undefined;
}
