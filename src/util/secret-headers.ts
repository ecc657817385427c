/** Tells the HTTP headers whose values are credentials, by their names. */

const SECRET_HEADER = /authorization|api-?key|cookie|(^|[-_])(session[-_]?id|token|secret|password|signature|credentials?|auth|jwt|key)$/i;
/** Names one thing that was asked for; anybody may know it. */
const NAMES_A_REQUEST = /idempotency[-_]?key$/i;
const AUTHORIZATION_SCHEME = /^(?:bearer|basic|token)\s+/i;

export const isSecretHeader = (name: string): boolean => SECRET_HEADER.test(name) && !NAMES_A_REQUEST.test(name);

/** The secret values that a request's headers carry: a server may send them back inside an error. */
export function secretsOfHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => isSecretHeader(name))
    .map(([, value]) => value.replace(AUTHORIZATION_SCHEME, ''));
}
