/** `stop`: the end of the loop, at once or after the step (R66). */

import { setLoopAtRest } from '../../loops/set-loop-at-rest';
import { setRequested } from '../set-requested';
import { changed, moved, type RequestOf, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function stop(context: VerbContext, request: RequestOf<'stop'>): Promise<VerbOutcome> {
  const { trx, locked, effect } = context;
  const by = request.by ?? null;
  const reason = request.reason ?? null;
  if (effect === 'deferred') {
    await setRequested(trx, locked.loop.id, { verb: 'stop', by, reason });
    return changed(context);
  }
  await setLoopAtRest(trx, locked.loop.id, { status: 'cancelled', ...(reason === null ? {} : { errorMessage: reason }) });
  return moved(context, 'cancelled');
}
