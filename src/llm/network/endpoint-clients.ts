/** The `openai` clients of this process: one an endpoint, over one pool of connections. */

import OpenAI from 'openai';
import { Agent, fetch as undiciFetch } from 'undici';
import type { ModelSettings } from '../../agents/agent';

export type Fetch = typeof fetch;

export const DEFAULT_BASE_URL = 'https://api.openai.com/v1';

/** Models that are made for a loop may each have a key of their own: past this many the client that was made first is let go. */
const CLIENTS_KEPT = 1_000;
const CONNECT_TIMEOUT_MS = 30_000;
/** The client's own limit is out of the way: the deadlines are ours. */
const NO_CLIENT_TIMEOUT_MS = 2_147_483_647;

export class EndpointClients {
  readonly #clients = new Map<string, OpenAI>();
  #agent: Agent | undefined;

  /** A client that sends once: retries are Temporal's alone (P109). */
  get(model: ModelSettings): OpenAI {
    const key = JSON.stringify([model.baseURL, model.apiKey, model.headers]);
    const existing = this.#clients.get(key);
    if (existing !== undefined) return existing;
    const client = createClient(model);
    this.#clients.set(key, client);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > CLIENTS_KEPT && oldest !== undefined) this.#clients.delete(oldest);
    return client;
  }

  /** undici's own fetch over a pool without time limits, so that agent and fetch are of one version. */
  readonly fetch: Fetch = (input, init) => {
    this.#agent ??= new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_TIMEOUT_MS } });
    const send = undiciFetch as unknown as (input: unknown, init: unknown) => Promise<Response>;
    return send(input, { ...init, dispatcher: this.#agent });
  };

  /** Ends the connections. */
  async close(): Promise<void> {
    this.#clients.clear();
    await this.#agent?.close();
    this.#agent = undefined;
  }
}

/** Where the completion of this model is asked for: nothing is put between base and path (R84, P95). */
export function completionUrlOf(model: ModelSettings): string {
  return `${(model.baseURL ?? DEFAULT_BASE_URL).replace(/\/$/, '')}/chat/completions`;
}

/** Everything that the client would read from the environment is given, since only our own settings may. */
function createClient(model: ModelSettings): OpenAI {
  return new OpenAI({
    apiKey: model.apiKey ?? 'none',
    baseURL: model.baseURL ?? DEFAULT_BASE_URL,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: NO_CLIENT_TIMEOUT_MS,
    defaultHeaders: { ...(model.apiKey === undefined ? { Authorization: null } : {}), ...model.headers },
  });
}
