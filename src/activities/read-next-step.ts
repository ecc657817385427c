/** Asks the tables what is next. */

import { readNextStep } from '../db/read-next-step';
import type { LoopId } from '../domain/ids';
import type { PlannedStep } from '../domain/planned-step';
import type { ActivityDependencies } from './dependencies';
import { planStep } from './plan-step';
import { withMappedFailures } from './with-mapped-failures';

export const createReadNextStep = (deps: ActivityDependencies) =>
  withMappedFailures(async ({ loopId }: { readonly loopId: LoopId }): Promise<PlannedStep> => {
    const answer = await readNextStep(deps.db, loopId);
    return planStep(deps, answer, answer.isHeld);
  });
