/** Gives each call of a request an id that its provider accepts, once in the whole request (P23, P74, P76). */

import { createHash } from 'node:crypto';
import type { TranscriptToolCall } from '../../domain/message';
import type { FamilyTraits } from '../families/provider-family';

const NINE_ALPHANUMERIC = /^[a-zA-Z0-9]{9}$/;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const MADE_ID_LENGTH = 9;

/** The provider's own id where it can stay; else one made from the row's id, so that it is the same in each later request. */
export function createCallIds(traits: Pick<FamilyTraits, 'callIds' | 'callIdPattern'>): (call: TranscriptToolCall) => string {
  const accepted = traits.callIds === 'nine-alphanumeric' ? NINE_ALPHANUMERIC : traits.callIdPattern;
  const used = new Set<string>();
  return (call) => {
    let id = accepted.test(call.providerId) ? call.providerId : madeId(call.id, 0);
    for (let round = 0; used.has(id); round += 1) id = madeId(call.id, round);
    used.add(id);
    return id;
  };
}

/** Nine letters or digits fit every provider known. */
function madeId(seed: string, round: number): string {
  const bytes = createHash('sha256').update(`${seed} ${round}`).digest().subarray(0, MADE_ID_LENGTH);
  return [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
