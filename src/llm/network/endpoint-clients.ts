/** The `openai` clients of this process: one an endpoint, over one pool of connections. */

import OpenAI from 'openai';
import { Agent, fetch as undiciFetch } from 'undici';
import type { ModelSettings } from '../../agents/agent';
import { BoundedMap } from '../../util/bounded-map';
import { parseBaseUrl } from '../families/base-url';
import { baseUrlOf } from '../families/provider-family';

export type Fetch = typeof fetch;

/** Models that are made for a loop may each have a key of their own: past this many the client that was made first is let go. */
const CLIENTS_KEPT = 1_000;
const CONNECT_TIMEOUT_MS = 30_000;
/** The client's own limit is out of the way: the deadlines are ours. */
const NO_CLIENT_TIMEOUT_MS = 2_147_483_647;

export class EndpointClients {
  readonly #clients = new BoundedMap<string, OpenAI>(CLIENTS_KEPT);
  #agent: Agent | undefined;

  /** A client that sends once: retries are Temporal's alone (P109). */
  get(model: ModelSettings): OpenAI {
    const key = JSON.stringify([model.baseURL, model.apiKey, model.headers]);
    const existing = this.#clients.get(key);
    if (existing !== undefined) return existing;
    const client = createClient(model);
    this.#clients.set(key, client);
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

/** Where a path of this model's API is asked for: nothing is put between base and path (R84, P95). */
export function apiUrlOf(model: ModelSettings, path: '/chat/completions' | '/responses'): string {
  const { base, search } = parseBaseUrl(baseUrlOf(model));
  return `${base}${path}${search}`;
}

/** The header that the model's key, else the user in its address, makes. */
export function authorizationOf(model: ModelSettings): string | undefined {
  return model.apiKey === undefined ? parseBaseUrl(baseUrlOf(model)).authorization : `Bearer ${model.apiKey}`;
}

/** Everything that the client would read from the environment is given, since only our own settings may. */
function createClient(model: ModelSettings): OpenAI {
  const { base, search } = parseBaseUrl(baseUrlOf(model));
  return new OpenAI({
    apiKey: model.apiKey ?? 'none',
    baseURL: base,
    defaultQuery: Object.fromEntries(new URLSearchParams(search)),
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: NO_CLIENT_TIMEOUT_MS,
    defaultHeaders: { Authorization: authorizationOf(model) ?? null, ...model.headers },
  });
}
