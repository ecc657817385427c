/** The signature of a webhook: what its receiver relies on. */

import { signWebhook, verifyWebhook } from '../../../src/util/signed-webhook';

const AT = new Date('2026-01-02T03:04:05Z');
const BODY = '{"loopId":"7"}';
const signature = signWebhook(BODY, 'secret', AT);
const verify = (changes: Partial<Parameters<typeof verifyWebhook>[0]>): boolean =>
  verifyWebhook({ body: BODY, signature, secret: 'secret', now: AT, ...changes });

it('is a time and an HMAC over time and body', () => {
  expect(signature).toMatch(/^t=1767323045,v1=[\da-f]{64}$/);
  expect(verify({})).toBe(true);
});

it('refuses another body, secret or time, and what is no signature', () => {
  expect(verify({ body: '{"loopId":"8"}' })).toBe(false);
  expect(verify({ secret: 'other' })).toBe(false);
  expect(verify({ signature: signature.replace('t=1767323045', 't=1767323046') })).toBe(false);
  for (const wrong of ['', undefined, null, 't=1,v1=00', `${signature} `]) expect(verify({ signature: wrong })).toBe(false);
});

it('refuses what was signed too long ago', () => {
  const later = new Date(AT.getTime() + 301_000);
  expect(verify({ now: later })).toBe(false);
  expect(verify({ now: later, toleranceSeconds: 600 })).toBe(true);
});
