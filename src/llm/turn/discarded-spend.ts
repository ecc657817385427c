/** Adds up what was paid for answers of one attempt that are thrown away: broken streams, refused ones, work for an answer that never came (R5, R6). */

import type { LlmContext } from '../../agents/middleware';
import type { Spend } from '../../domain/usage';
import { addSpends } from '../pricing/add-spends';
import { costOfUsage } from '../pricing/cost-of-usage';
import { readUsage } from '../pricing/read-usage';
import { findPaidAnswer } from '../raw-answers';

/** One for each attempt: whichever way it ends, what it knows is written in the same transaction. */
export class DiscardedSpend {
  #total: Spend | undefined;

  /** Undefined: nothing was paid for in vain, as far as is known. */
  get total(): Spend | undefined {
    return this.#total;
  }

  add({ usage, cost }: Spend): void {
    this.#total = this.#total === undefined ? { usage, cost } : addSpends(this.#total, { usage, cost });
  }

  /** What came of a request, where something did. Text without counts was paid for all the same: its cost is unknown. */
  addAnswerOf(context: LlmContext): void {
    const paid = findPaidAnswer(context);
    if (paid === undefined || context.model === undefined) return;
    const usage = readUsage(paid.usage);
    this.add({ usage, cost: costOfUsage({ model: context.model, usage, rawUsage: paid.usage }) });
  }
}
