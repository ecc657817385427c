/** Settles the tables where a step failed for good: the loop fails with the code, if the step is still the loop's (R27). */

import { closeLoop } from '../db/loops/close-loop';
import type { Generation, LoopId } from '../domain/ids';
import type { PlannedStep } from '../domain/planned-step';
import type { ActivityDependencies } from './dependencies';
import { planStep } from './plan-step';
import { withMappedFailures } from './with-mapped-failures';
import { reach } from './reach';

export interface CloseLoopInput {
  readonly loopId: LoopId;
  readonly turnNumber: number;
  readonly generation: Generation;
  readonly code: string;
}

export const createCloseLoop = (deps: ActivityDependencies) =>
  withMappedFailures(async (input: CloseLoopInput): Promise<PlannedStep> => {
    deps.logger.error({ loop: input.loopId, turn: input.turnNumber, code: input.code }, 'a step failed for good');
    await reach('close:before');
    const answer = await closeLoop(deps.db, {
      ...input,
      reason: `the step of turn ${input.turnNumber} ended with ${input.code}; the worker's log says more`,
    });
    await reach('close:after');
    return planStep(deps, answer);
  });
