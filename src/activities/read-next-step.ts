/** Asks the tables what is next. */

import { readNextStep } from '../db/loops/read-next-step';
import type { LoopId } from '../domain/ids';
import type { PlannedStep } from '../domain/planned-step';
import type { ActivityDependencies } from './dependencies';
import { planStep } from './plan-step';
import { withMappedFailures } from './with-mapped-failures';
import { reach } from './reach';

export const createReadNextStep = (deps: ActivityDependencies) =>
  withMappedFailures(async ({ loopId }: { readonly loopId: LoopId }): Promise<PlannedStep> => {
    await reach('next:before');
    const answer = await readNextStep(deps.db, loopId);
    await reach('next:after');
    return planStep(deps, answer, answer.isWantedAnew);
  });
