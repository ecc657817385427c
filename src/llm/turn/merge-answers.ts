/** Joins the answers of one turn that took several requests: the last one counts, all are paid for. */

import type { TurnAnswer } from '../../domain/turn';
import { addSpends } from '../pricing/add-spends';

export function mergeAnswers(earlier: TurnAnswer, last: TurnAnswer): TurnAnswer {
  return {
    ...last,
    ...addSpends(earlier, last),
    timings: { ...last.timings, generation: earlier.timings.generation + last.timings.generation },
  };
}
