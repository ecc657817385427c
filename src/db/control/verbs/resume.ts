/** `resume`: back to the tool phase or to a turn, under a new generation (R61); or takes back what was to happen after the step. */

import { setLoopGoing } from '../../set-loop-going';
import { setRequested } from '../set-requested';
import { changed, moved, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function resume(context: VerbContext): Promise<VerbOutcome> {
  const { trx, locked } = context;
  if (locked.loop.status !== 'paused') {
    await setRequested(trx, locked.loop.id, null);
    return changed(context);
  }
  const { loop } = await setLoopGoing(trx, locked.loop.id);
  return moved(context, loop.status);
}
