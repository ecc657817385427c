/** `unfreeze`: takes the flag back and leaves the loop as it is, paused or ended (R64). */

import { isTerminal } from '../../../domain/loop';
import { changed, type VerbContext, type VerbOutcome, waking } from '../verb-outcome';

export async function unfreeze(context: VerbContext): Promise<VerbOutcome> {
  const { id, status } = context.locked.loop;
  await context.trx
    .updateTable('loops')
    .set({ admin_frozen: false, frozen_by: null, frozen_at: null, frozen_reason: null })
    .where('id', '=', id)
    .execute();
  return isTerminal(status) ? changed(context) : waking(context);
}
