/** A steering message that can still be changed, or why not (R62). */

import { type LockedMessage, lockMessage } from './lock-message';
import { refused, type VerbContext, type VerbOutcome } from './verb-outcome';

export type Steering =
  | { readonly kind: 'waiting'; readonly message: LockedMessage }
  | { readonly kind: 'withdrawn'; readonly message: LockedMessage }
  | { readonly kind: 'unchangeable'; readonly outcome: VerbOutcome };

export async function lockSteering({ trx, locked }: VerbContext, messageId: string): Promise<Steering> {
  const message = await lockMessage(trx, locked.loop.id, messageId);
  if (message === undefined) return unchangeable(`loop ${locked.loop.id} has no message ${messageId}; its transcript shows the ids`);
  if (message.kind !== 'steering') return unchangeable(`message ${messageId} is no steering message: only those can be changed`);
  if (message.seq !== null) return unchangeable(`message ${messageId} was delivered to the model already: send another one`);
  return message.status === 'pending' ? { kind: 'waiting', message } : { kind: 'withdrawn', message };
}

export const unchangeable = (sentence: string): Extract<Steering, { kind: 'unchangeable' }> => ({
  kind: 'unchangeable',
  outcome: refused('SteeringError', sentence),
});
