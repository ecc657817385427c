/** `pause`: now, which aborts what is in flight, or after the step (R60). */

import { setLoopAtRest } from '../../loops/set-loop-at-rest';
import { setRequested } from '../set-requested';
import { changed, moved, type RequestOf, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function pause(context: VerbContext, request: RequestOf<'pause'>): Promise<VerbOutcome> {
  const { trx, locked, effect } = context;
  const by = request.by ?? null;
  const reason = request.reason ?? null;
  if (effect === 'deferred') {
    await setRequested(trx, locked.loop.id, { verb: 'pause', by, reason });
    return changed(context);
  }
  await setLoopAtRest(trx, locked.loop.id, { status: 'paused', by, reason });
  return moved(context, 'paused');
}
