/** `resume`: back to the tool phase or to a turn, under a new generation (R61), its calls run or told as not run (R68); or takes back what was to happen after the step. */

import { resolveAbandonedCalls } from '../../tool-calls/resolve-abandoned-calls';
import { setLoopGoing } from '../../loops/set-loop-going';
import { setRequested } from '../set-requested';
import { changed, moved, type RequestOf, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function resume(context: VerbContext, { skipCalls }: RequestOf<'resume'>): Promise<VerbOutcome> {
  const { trx, locked } = context;
  if (locked.loop.status !== 'paused') {
    await setRequested(trx, locked.loop.id, null);
    return changed(context);
  }
  if (skipCalls === true) await resolveAbandonedCalls(trx, locked.loop.id);
  const { loop } = await setLoopGoing(trx, locked.loop.id);
  return moved(context, loop.status);
}
