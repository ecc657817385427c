/** Wakes the workflows of what a control request changed, children too (R67). */

import { isSolidLoopError } from '../../domain/errors';
import type { TemporalDriver } from '../../domain/temporal-driver';
import type { ControlOutcome } from './control-loop';

/**
 * Answers false where Temporal could not be asked for some: the tables have the change, and the reconciler sends the wake later.
 * @throws anything but TemporalUnavailable
 */
export async function wakeControlled(temporal: Pick<TemporalDriver, 'wake'>, outcome: ControlOutcome): Promise<boolean> {
  let isAllWoken = outcome.wake ? await wake(temporal, outcome) : true;
  for (const child of outcome.children) isAllWoken = (await wakeControlled(temporal, child)) && isAllWoken;
  return isAllWoken;
}

async function wake(temporal: Pick<TemporalDriver, 'wake'>, { loop }: ControlOutcome): Promise<boolean> {
  try {
    await temporal.wake(loop);
    return true;
  } catch (error) {
    if (!isSolidLoopError(error, 'TemporalUnavailable')) throw error;
    return false;
  }
}
