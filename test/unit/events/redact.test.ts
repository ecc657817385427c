import fc from 'fast-check';
import { createRedactor, REDACTED } from '../../../src/events/redact';
import { secretsOfHeaders } from '../../../src/util/secret-headers';

const redactor = createRedactor(['sk-abcdefghijkl']);

test.each([
  'authorization',
  'Authorization',
  'Proxy-Authorization',
  'x-api-key',
  'api-key',
  'X-Goog-Api-Key',
  'cookie',
  'Set-Cookie',
  'mcp-session-id',
  'x-auth-token',
  'Helicone-Auth',
  'Ocp-Apim-Subscription-Key',
  'x-functions-key',
  'portkey-virtual-key',
  'x-access-key',
  'session_id',
])('R42: the header %s keeps its name and loses its value', (name) => {
  expect(redactor.headers({ [name]: 'very secret' })).toEqual({ [name]: REDACTED });
});

test.each(['idempotency-key', 'content-type', 'x-request-id', 'x-ratelimit-remaining-tokens', 'retry-after', 'user-agent'])(
  'R42: the header %s is kept',
  (name) => {
    expect(redactor.headers({ [name]: 'plain' })).toEqual({ [name]: 'plain' });
  },
);

test.each([
  ['https://user:pass@host/v1', `https://${REDACTED}@host/v1`],
  ['https://host/v1?key=AIzaSy123&alt=sse', `https://host/v1?key=${REDACTED}&alt=sse`],
  ['https://host/v1?api-version=1&api_key=a', `https://host/v1?api-version=1&api_key=${REDACTED}`],
  ['https://host/v1?code=a&jwt=b', `https://host/v1?code=${REDACTED}&jwt=${REDACTED}`],
  ['https://host/v1?X-Amz-Signature=a', `https://host/v1?X-Amz-Signature=${REDACTED}`],
  ['https://host/v1/chat/completions?monkey=1', 'https://host/v1/chat/completions?monkey=1'],
])('R42: the url %s is written as %s', (url, expected) => {
  expect(redactor.url(url)).toBe(expected);
});

test('R42: a known secret is found in plain text, in JSON text and in a url', () => {
  const secret = 'a"b\\c d/e=f';
  const known = createRedactor([secret]);
  expect(known.text(`wrong key ${secret}`)).toBe(`wrong key ${REDACTED}`);
  expect(known.text(JSON.stringify({ key: secret }))).toBe(`{"key":"${REDACTED}"}`);
  expect(known.url(`https://host/?q=${encodeURIComponent(secret)}`)).toBe(`https://host/?q=${REDACTED}`);
});

test('R42: the key that a request carries is known for that request', () => {
  const headers = { authorization: 'Bearer another-secret-key', 'content-type': 'application/json' };
  const known = redactor.with(secretsOfHeaders(headers));
  expect(known.text('Incorrect API key: another-secret-key, not sk-abcdefghijkl')).toBe(`Incorrect API key: ${REDACTED}, not ${REDACTED}`);
});

test('R42: no secret of eight characters or more is ever left, and text without one stays as it is', () => {
  const secrets = fc.array(fc.string({ minLength: 8, maxLength: 30, unit: 'binary' }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(secrets, fc.array(fc.string({ unit: 'binary' }), { maxLength: 4 }), (known, between) => {
      const body = between.flatMap((text, index) => [text, known[index % known.length] ?? '']).join('');
      const redact = createRedactor(known);
      for (const secret of known) {
        expect(redact.text(body)).not.toContain(secret);
        expect((JSON.parse(redact.json([body])) as string[])[0]).not.toContain(secret);
        expect(Object.values(redact.headers({ 'x-note': body, authorization: secret })).join('')).not.toContain(secret);
      }
      const harmless = between.join('');
      if (known.every((secret) => !harmless.includes(secret) && !harmless.includes(JSON.stringify(secret).slice(1, -1)))) {
        expect(redact.text(harmless)).toBe(harmless);
      }
    }),
  );
});
