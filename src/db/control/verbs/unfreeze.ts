/** `unfreeze`: takes the flag back and leaves the loop as it is, paused or ended (R64). */

import { isTerminal } from '../../../domain/loop';
import type { VerbContext, VerbOutcome } from '../verb-outcome';

export async function unfreeze({ trx, locked, effect }: VerbContext): Promise<VerbOutcome> {
  const { id, status } = locked.loop;
  await trx
    .updateTable('loops')
    .set({ admin_frozen: false, frozen_by: null, frozen_at: null, frozen_reason: null })
    .where('id', '=', id)
    .execute();
  return { kind: 'done', effect, status, movesFence: false, wakes: !isTerminal(status) };
}
