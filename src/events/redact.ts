/** The one way on which secrets leave: headers by name, urls by part, and everywhere else the values that are known to be secret (R42). */

import { isSecretHeader } from '../util/secret-headers';

export const REDACTED = '[redacted]';

/** Shorter values are no secrets worth the name ("none", "ollama"), and replacing them would tear words apart. */
const MIN_SECRET_CHARS = 8;

const SECRET_QUERY = /^(.*[-_.])?(api-?key|key|token|secret|signature|sig|password|auth|jwt|code|credentials?)$|apikey|accesstoken/i;
const URL_USERINFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i;
const URL_PARAMETER = /([?&;#])([^=&;#?]+)=([^&;#]*)/g;

export interface Redactor {
  /** The same headers; a secret one has `[redacted]` as its value. */
  readonly headers: (headers: Readonly<Record<string, string>>) => Record<string, string>;
  /** The same address without user and password, and without the values of parameters that are keys. */
  readonly url: (url: string) => string;
  /** Plain text or JSON text: each known secret is replaced, the rest stays to the byte. */
  readonly text: (text: string) => string;
  /** The value as JSON text, redacted and still whole. `undefined` is written as null. */
  readonly json: (value: unknown) => string;
  /** A redactor that knows more secrets as well. */
  readonly with: (secrets: readonly string[]) => Redactor;
}

/** `secrets`: the values known at start, such as the api keys of models. Values under 8 characters are not looked for. */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS).flatMap(writtenForms))].toSorted(
    (a, b) => b.length - a.length,
  );
  const text = (value: string) => forms.reduce((rest, form) => (rest.includes(form) ? rest.replaceAll(form, REDACTED) : rest), value);
  return {
    headers: (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? REDACTED : text(value)])),
    url: (url) => text(redactUrl(url)),
    text,
    json: (value) => redactJson(value, text),
    with: (more) => createRedactor([...secrets, ...more]),
  };
}

function redactUrl(url: string): string {
  return url
    .replace(URL_USERINFO, `$1${REDACTED}@`)
    .replace(URL_PARAMETER, (whole, mark: string, name: string) => (SECRET_QUERY.test(name) ? `${mark}${name}=${REDACTED}` : whole));
}

function redactJson(value: unknown, redactText: (text: string) => string): string {
  const whole = JSON.stringify(value) ?? 'null';
  const redacted = redactText(whole);
  if (redacted === whole || isJson(redacted)) return redacted;
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'string' || typeof inner === 'number' ? redactScalar(inner, redactText) : inner,
  );
}

function redactScalar(value: string | number, redactText: (text: string) => string): string | number {
  const redacted = redactText(String(value));
  return typeof value === 'number' && redacted === String(value) ? value : redacted;
}

/** A secret of digits may have stood as a number, and a secret with quotes may have held structure. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** As it is, inside JSON text, and inside a url. */
function writtenForms(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(toWellFormed(secret))];
}

/** `encodeURIComponent` throws on half of a surrogate pair. */
const toWellFormed = (value: string): string => Buffer.from(value, 'utf8').toString('utf8');
