/** Asks an OpenAI-compatible server which models it has. */

import { messageOf } from '../domain/errors';

export interface ReadModelsOptions {
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** `refused`: the key is wrong. `unlisted`: it answers, but has no list. `unreachable`: nothing usable answers. */
export type ModelsAnswer =
  | { readonly kind: 'models'; readonly names: readonly string[] }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'unlisted'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** @throws the signal's reason when aborted */
export async function readModels({ baseURL, apiKey, timeoutMs, signal }: ReadModelsOptions): Promise<ModelsAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${baseURL.replace(/\/+$/, '')}/models`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    if (response.status === 401 || response.status === 403) return { kind: 'refused', status: response.status };
    if (!response.ok) return { kind: 'unlisted', status: response.status };
    return { kind: 'models', names: parseNames(await response.json()) };
  } catch (error) {
    signal?.throwIfAborted();
    return { kind: 'unreachable', reason: reasonOf(error) };
  }
}

function parseNames(body: unknown): readonly string[] {
  const data: unknown = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
  if (!Array.isArray(data)) return [];
  return data.flatMap((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'id' in entry && typeof entry.id === 'string' ? [entry.id] : [],
  );
}

/** fetch says only "fetch failed"; why is in the cause. */
function reasonOf(error: unknown): string {
  const cause: unknown = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return messageOf(cause ?? error);
}
