/** The one class of everything that goes wrong between us and a provider. What it means is decided by the classifier alone. */

/** Longest error body that is kept. Characters (R42). */
export const ERROR_BODY_LIMIT_CHARS = 8_192;

/**
 * `http`: a status that is not 2xx. `stream`: an error, or an end without a finish, inside a 200. `network`: the connection failed or was lost.
 * `timeout`: one of our own deadlines. `protocol`: bytes that are no API answer, or more of them than the limits allow.
 * `empty`: a whole answer that holds nothing to go on with.
 */
export type ProviderErrorKind = 'http' | 'stream' | 'network' | 'timeout' | 'protocol' | 'empty';

export interface ProviderErrorOptions {
  readonly kind: ProviderErrorKind;
  readonly url: string;
  /** Of the response, or the code that an error inside a 200 carries in its place (P10). */
  readonly status?: number | undefined;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** As it came; cut here. */
  readonly body?: string;
  /** The provider's own `code` and `type`. */
  readonly providerCode?: string | undefined;
  readonly providerType?: string | undefined;
  readonly cause?: unknown;
}

export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  readonly url: string;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly providerCode: string | undefined;
  readonly providerType: string | undefined;

  constructor(message: string, options: ProviderErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProviderError';
    this.kind = options.kind;
    this.url = options.url;
    this.status = options.status;
    this.headers = options.headers ?? {};
    this.body = cutBody(options.body ?? '');
    this.providerCode = options.providerCode;
    this.providerType = options.providerType;
  }
}

export const isProviderError = (error: unknown): error is ProviderError => error instanceof ProviderError;

/** Cuts an error body at the limit, never through a character, with a note on what is missing (R42). */
function cutBody(body: string): string {
  if (body.length <= ERROR_BODY_LIMIT_CHARS) return body;
  const kept = body.slice(0, ERROR_BODY_LIMIT_CHARS).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}… [cut: ${body.length - kept.length} more characters]`;
}
