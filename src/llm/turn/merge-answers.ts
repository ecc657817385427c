/** Joins the answers of one turn that took several requests: the last one counts, all are paid for. */

import type { TurnAnswer } from '../../domain/turn';
import type { TokenUsage } from '../../domain/usage';
import { addCosts } from '../pricing/cost-of-usage';

export function mergeAnswers(earlier: TurnAnswer, last: TurnAnswer): TurnAnswer {
  return {
    ...last,
    usage: addUsage(earlier.usage, last.usage),
    cost: addCosts(earlier.cost, last.cost),
    timings: { ...last.timings, generation: earlier.timings.generation + last.timings.generation },
  };
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
