/** `freeze`: an admin's pause that only `unfreeze` and `stop` end (R64). */

import { sql } from 'kysely';
import { cleanTextOrNull } from '../../postgres/clean-text';
import { setLoopAtRest } from '../../loops/set-loop-at-rest';
import { moved, type RequestOf, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function freeze(context: VerbContext, request: RequestOf<'freeze'>): Promise<VerbOutcome> {
  const { trx, locked } = context;
  const by = request.by ?? null;
  const reason = request.reason ?? null;
  const wasPaused = locked.loop.status === 'paused';
  if (!wasPaused) await setLoopAtRest(trx, locked.loop.id, { status: 'paused', by, reason });
  await trx
    .updateTable('loops')
    .set({
      admin_frozen: true,
      frozen_by: cleanTextOrNull(by),
      frozen_at: sql`clock_timestamp()`,
      frozen_reason: cleanTextOrNull(reason),
      generation: wasPaused ? sql`generation + 1` : sql`generation`,
    })
    .where('id', '=', locked.loop.id)
    .execute();
  return moved(context, 'paused');
}
