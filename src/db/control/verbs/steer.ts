/** `steer`: a message into a running loop; with `interrupt`, the turn in flight ends for it (R62). */

import { insertUserMessage } from '../insert-user-message';
import { interruptTurn } from '../interrupt-turn';
import { moved, type RequestOf, type VerbContext, type VerbOutcome, waking } from '../verb-outcome';

export async function steer(context: VerbContext, request: RequestOf<'steer'>): Promise<VerbOutcome> {
  const { trx, locked, effect } = context;
  const { id } = locked.loop;
  const messageId = await insertUserMessage(trx, { loopId: id, key: request.key, kind: 'steering', content: request.message });
  if (effect !== 'interrupted') return waking(context, messageId);
  return moved(context, await interruptTurn(trx, locked), messageId);
}
