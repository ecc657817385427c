/** Tells of the end of a loop before its workflow ends; what this cannot do in its time, the reconciler does. */

import { ApplicationFailure } from '@temporalio/common';
import type { LoopId } from '../../domain/ids';
import type { ActivityDependencies } from '../dependencies';
import { withMappedFailures } from '../with-mapped-failures';
import { tellFinished } from './tell-finished';

export const createNotifyFinished = (deps: ActivityDependencies) =>
  withMappedFailures(async ({ loopId }: { readonly loopId: LoopId }): Promise<void> => {
    if (await tellFinished(deps, loopId)) return;
    throw ApplicationFailure.retryable(
      'the end of the loop could not be told to everybody; the loop’s events say to whom',
      'FinishNotTold',
    );
  });
