/** Adds up what several requests used and cost: a count is known where one of them is, the cost only where all are. */

import type { Spend, TokenUsage } from '../../domain/usage';
import { addCosts } from './cost-of-usage';

export function addSpends(first: Spend, second: Spend): Spend {
  return { usage: addUsage(first.usage, second.usage), cost: addCosts(first.cost, second.cost) };
}

function addUsage(first: TokenUsage, second: TokenUsage): TokenUsage {
  return {
    prompt: addCounts(first.prompt, second.prompt),
    completion: addCounts(first.completion, second.completion),
    total: addCounts(first.total, second.total),
    promptCached: addCounts(first.promptCached, second.promptCached),
    reasoning: addCounts(first.reasoning, second.reasoning),
  };
}

const addCounts = (first: number | null, second: number | null): number | null =>
  first === null || second === null ? (first ?? second) : first + second;
