/** `reopen`: a loop that has ended goes on with a new message, which waits where calls are unresolved (R65). */

import { goOn } from '../go-on';
import { insertUserMessage } from '../insert-user-message';
import type { RequestOf, VerbContext, VerbOutcome } from '../verb-outcome';

export async function reopen({ trx, locked, effect }: VerbContext, { key, message }: RequestOf<'reopen'>): Promise<VerbOutcome> {
  const messageId = await insertUserMessage(trx, { loopId: locked.loop.id, key, kind: 'plain', content: message });
  const { loop } = await goOn(trx, locked.loop.id);
  return { kind: 'done', effect, status: loop.status, messageId, movesFence: true, wakes: true };
}
