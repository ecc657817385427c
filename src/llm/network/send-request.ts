/** Sends the request through the `openai` client and hands over the response unread, or one error that has lost nothing. */

import type OpenAI from 'openai';
import { messageOf } from '../../domain/errors';
import { parseJson } from '../foreign-json';
import { ERROR_BODY_LIMIT_CHARS, ProviderError } from '../errors/provider-error';
import { causesOf } from '../errors/network-cause';
import { toBodyError } from '../stream/error-in-body';
import { plainTextOf, type ResponseInfo } from '../stream/body-reader';
import type { Fetch } from './endpoint-clients';

/** More of an error body than this is not read. Bytes. */
const ERROR_BODY_READ_LIMIT_BYTES = 8 * ERROR_BODY_LIMIT_CHARS;

export interface SendOptions {
  readonly client: OpenAI;
  readonly fetch: Fetch;
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** @default to chat completions */
  readonly send?: (client: OpenAI, options: { readonly signal: AbortSignal }) => Promise<Response>;
}

export interface SentRequest {
  readonly info: ResponseInfo;
  readonly body: ReadableStream<Uint8Array> | null;
}

/** @throws ProviderError for a status that is not 2xx and for a failed connection; the signal's reason where it was aborted */
export async function sendRequest(options: SendOptions): Promise<SentRequest> {
  const capture = new ResponseCapture(options);
  const client = options.client.withOptions({ fetch: capture.fetch });
  const send = options.send ?? ((to, with_) => to.chat.completions.create(options.body as never, with_).asResponse());
  try {
    // The signal is checked by `capture`: the client turns an abort into an error without its reason.
    const response = await send(client, { signal: options.signal });
    return { info: infoOf(response, addressOf(response, options.url)), body: response.body };
  } catch (error) {
    options.signal.throwIfAborted();
    throw capture.failure ?? toNetworkError(error, options.url);
  }
}

/** Sits between client and network, since the client keeps neither the raw body of an error nor the cause of a lost connection. */
class ResponseCapture {
  failure: ProviderError | undefined;

  constructor(readonly options: SendOptions) {}

  readonly fetch: Fetch = async (input, init) => {
    try {
      const response = await this.options.fetch(input, init);
      if (!response.ok) this.failure = await toHttpError(response, addressOf(response, this.options.url));
      if (this.failure !== undefined) throw this.failure;
      return response;
    } catch (error) {
      this.failure ??= toNetworkError(error, this.options.url);
      throw this.failure;
    }
  };
}

/** Where the answer came from: a redirect has made a GET of the request, which is what a wrong base url looks like. */
const addressOf = (response: Response, url: string): string => (response.redirected ? response.url : url);

async function toHttpError(response: Response, url: string): Promise<ProviderError> {
  const body = await readErrorBody(response);
  const found = toBodyError(parseJson(body) ?? body);
  const text = /^\s*</.test(body) ? plainTextOf(body) : body.trim();
  return new ProviderError(`HTTP ${response.status}${text === '' ? '' : `: ${text.slice(0, ERROR_BODY_LIMIT_CHARS)}`}`, {
    kind: 'http',
    ...infoOf(response, url),
    body,
    providerCode: found.code,
    providerType: found.type,
  });
}

/** Reads what comes, up to a limit; a body that breaks off keeps what came (R42). */
async function readErrorBody(response: Response): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  try {
    while (bytes < ERROR_BODY_READ_LIMIT_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      bytes += value.length;
    }
    await reader.cancel();
  } catch (error) {
    chunks.push(Buffer.from(`… [the rest was lost: ${messageOf(error)}]`));
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Says every cause, since the outer ones read "terminated" or "Connection error." only (P119). */
export function toNetworkError(error: unknown, url: string): ProviderError {
  const text = [...new Set([...causesOf(error)].map(describe))].join(': ');
  return new ProviderError(`the connection to ${new URL(url).origin} failed or was lost: ${text}`, { kind: 'network', url, cause: error });
}

function describe(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  const message = messageOf(error);
  return typeof code === 'string' && !message.includes(code) ? `${message} (${code})` : message;
}

function infoOf(response: Response, url: string): ResponseInfo {
  return { url, status: response.status, headers: Object.fromEntries(response.headers.entries()) };
}
