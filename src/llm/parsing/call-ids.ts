/** Ids for calls that came without one, or with one that another call of the message has (P23, P76). */

import { randomBytes } from 'node:crypto';

/** Nine letters or digits fit every provider known. */
const ID_LENGTH = 9;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Answers, for one message, the id that its next call goes by. */
export function createCallIdGiver(): (given: unknown) => string {
  const used = new Set<string>();
  return (given) => {
    let id = typeof given === 'string' ? given.trim() : '';
    while (id === '' || used.has(id)) id = randomId();
    used.add(id);
    return id;
  };
}

function randomId(): string {
  return Array.from(randomBytes(ID_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
