/** Turns what an AI SDK model threw, or sent as an error part, into our one error. */

import { messageOf } from '../../../domain/errors';
import { isProviderError, ProviderError } from '../../errors/provider-error';
import { isObject } from '../../foreign-json';
import { networkCauseOf } from '../../errors/network-cause';

/** A status below it is that of an answer which then broke off or could not be read. */
const LOWEST_ERROR_STATUS = 400;

/** Errors of that package name status, body and headers; anything else is a failed connection or a fault inside the stream. */
export function toProviderError(error: unknown, url: string): ProviderError {
  if (isProviderError(error)) return error;
  const fields: Readonly<Record<string, unknown>> = typeof error === 'object' && error !== null ? { ...error } : {};
  const options = { url: typeof fields.url === 'string' ? fields.url : url, cause: error };
  if (typeof fields.statusCode === 'number' && fields.statusCode >= LOWEST_ERROR_STATUS) {
    const body = typeof fields.responseBody === 'string' ? fields.responseBody : messageOf(error);
    return new ProviderError(messageOf(error), {
      ...options,
      kind: 'http',
      status: fields.statusCode,
      headers: headersOf(fields.responseHeaders),
      body,
    });
  }
  if (networkCauseOf(error) !== undefined) return new ProviderError(messageOf(error), { ...options, kind: 'network' });
  return new ProviderError(isObject(error) && typeof error.message === 'string' ? error.message : messageOf(error), {
    ...options,
    kind: 'stream',
    body: isObject(error) ? JSON.stringify({ ...error, message: error.message }) : String(error),
  });
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  if (!isObject(headers)) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}
