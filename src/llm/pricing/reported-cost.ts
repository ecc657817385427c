/** Reads what a provider says that a response cost (P115): exact decimals in USD. */

import { Decimal } from 'decimal.js';
import { isObject, objectAt, type ForeignObject } from '../foreign-json';

/** The largest amount that the tables can hold for one turn; more is no cost but a fault. */
const AMOUNT_LIMIT = new Decimal(100_000);

/**
 * With the user's own key at the provider behind (`is_byok`), the fee and the upstream's price are two payments;
 * otherwise the one contains the other. Undefined: nothing was reported.
 */
export function readReportedCost(rawUsage: unknown): Decimal | undefined {
  if (!isObject(rawUsage)) return undefined;
  const cost = readAmount(isObject(rawUsage.cost) ? rawUsage.cost.total_cost : (rawUsage.cost ?? rawUsage.estimated_cost));
  if (cost === undefined || rawUsage.is_byok !== true) return cost;
  const upstream = readUpstream(objectAt(rawUsage, 'cost_details'));
  // Without the upstream's price only the fee is known: a fee of nothing is no cost.
  if (upstream === undefined) return cost.isZero() ? undefined : cost;
  return cost.plus(upstream);
}

/** The whole, else its two halves. */
function readUpstream(details: ForeignObject): Decimal | undefined {
  const prompt = readAmount(details.upstream_inference_prompt_cost);
  const completions = readAmount(details.upstream_inference_completions_cost);
  return readAmount(details.upstream_inference_cost) ?? (prompt === undefined ? completions : prompt.plus(completions ?? 0));
}

function readAmount(value: unknown): Decimal | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  if (typeof value === 'string' && !/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value.trim())) return undefined;
  const amount = new Decimal(typeof value === 'string' ? value.trim() : value);
  return amount.isFinite() && !amount.isNegative() && amount.lessThan(AMOUNT_LIMIT) ? amount : undefined;
}
