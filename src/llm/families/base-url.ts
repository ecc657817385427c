/** Reads a model's base url as people paste it: with spaces around it, the whole path, a query, a user and a password (R84, P95). */

export interface BaseUrl {
  /** What a path is put behind: without a slash at its end, query, or user. */
  readonly base: string;
  /** Of every request: Azure wants its `api-version` there. Begins with `?`, or is empty. */
  readonly search: string;
  /** The header that user and password stand for. */
  readonly authorization: string | undefined;
}

/** Paths that the engine puts behind a base itself. */
const PASTED_PATH = /\/(chat\/completions|responses)$/;

export function parseBaseUrl(text: string): BaseUrl {
  const trimmed = text.trim();
  // A definition refuses what is no address; here it stays as it is, so that the request's own error tells it.
  if (!URL.canParse(trimmed)) return { base: trimmed, search: '', authorization: undefined };
  const { protocol, host, pathname, search, username, password } = new URL(trimmed);
  const path = pathname.replace(/\/+$/, '').replace(PASTED_PATH, '').replace(/\/+$/, '');
  const user = username === '' ? undefined : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    base: `${protocol}//${host}${path}`,
    search,
    authorization: user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
  };
}
