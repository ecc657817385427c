/** `steer`: a message into a running loop; with `interrupt`, the turn in flight ends for it (R62). */

import { insertUserMessage } from '../insert-user-message';
import { interruptTurn } from '../interrupt-turn';
import type { RequestOf, VerbContext, VerbOutcome } from '../verb-outcome';

export async function steer({ trx, locked, effect }: VerbContext, request: RequestOf<'steer'>): Promise<VerbOutcome> {
  const { id, status } = locked.loop;
  const messageId = await insertUserMessage(trx, { loopId: id, key: request.key, kind: 'steering', content: request.message });
  if (effect !== 'interrupted') return { kind: 'done', effect, status, messageId, movesFence: false, wakes: true };
  return { kind: 'done', effect, status: await interruptTurn(trx, locked), messageId, movesFence: true, wakes: true };
}
