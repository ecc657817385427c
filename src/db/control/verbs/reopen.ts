/** `reopen`: a loop that has ended goes on with a new message, which waits where calls are unresolved (R65). */

import { resolveAbandonedCalls } from '../../tool-calls/resolve-abandoned-calls';
import { setLoopGoing } from '../../loops/set-loop-going';
import { insertUserMessage } from '../insert-user-message';
import { moved, type RequestOf, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function reopen(context: VerbContext, { key, message, skipCalls }: RequestOf<'reopen'>): Promise<VerbOutcome> {
  const { trx, locked } = context;
  if (skipCalls === true) await resolveAbandonedCalls(trx, locked.loop.id);
  const messageId = await insertUserMessage(trx, { loopId: locked.loop.id, key, kind: 'plain', content: message });
  const { loop } = await setLoopGoing(trx, locked.loop.id);
  return moved(context, loop.status, messageId);
}
