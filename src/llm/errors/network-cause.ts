/** Tells why a connection failed, from the chain of causes that fetch and its socket leave (P119). */

import { messageOf } from '../../domain/errors';

export type NetworkCause = 'timeout' | 'lost' | 'misconfigured';

const CAUSES_WALKED_MAXIMUM = 12;

const TIMEOUT_CODES = /^(ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const LOST_CODES =
  /^(ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_(SOCKET|ABORTED|CLOSED|DESTROYED)|HPE_\w+)$/;
/** Asking again the same way cannot help: the address or the certificate is wrong. */
const MISCONFIGURED_CODES = /^(ERR_INVALID_URL|ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w+|EPROTO|UND_ERR_INVALID_ARG)$/;
const LOST_PHRASE = /^(terminated|fetch failed|socket hang up|other side closed|premature close|connection error\.?|network error)$/i;
const MISCONFIGURED_PHRASE = /invalid url|unknown scheme|not a valid url/i;

/** Undefined: nothing in the chain speaks of a connection. */
export function networkCauseOf(error: unknown): NetworkCause | undefined {
  const chain = [...causesOf(error)];
  const has = (codes: RegExp, phrase?: RegExp): boolean =>
    chain.some((cause) => codes.test(codeOf(cause)) || (phrase?.test(messageOf(cause).trim()) ?? false));
  if (has(MISCONFIGURED_CODES, MISCONFIGURED_PHRASE)) return 'misconfigured';
  if (has(TIMEOUT_CODES)) return 'timeout';
  return has(LOST_CODES, LOST_PHRASE) ? 'lost' : undefined;
}

/** The error, its causes and the parts of its aggregates; bounded, since a chain may bite its own tail. */
export function* causesOf(error: unknown): Generator {
  const waiting: unknown[] = [error];
  for (let walked = 0; waiting.length > 0 && walked < CAUSES_WALKED_MAXIMUM; walked += 1) {
    const cause = waiting.shift();
    yield cause;
    if (cause instanceof AggregateError) waiting.push(...(cause.errors as unknown[]));
    if (cause instanceof Error && cause.cause !== undefined) waiting.push(cause.cause);
  }
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
