/** Models: a local server, a hosted one, and an agent that falls back from one to the other. */

import { defineAgent, type ModelSettings } from '../src/index';

export const local: ModelSettings = { name: 'qwen3', baseURL: 'http://127.0.0.1:8080/v1' };

export const hosted: ModelSettings = {
  name: 'gpt-5-mini',
  readTimeoutSeconds: 300, // longest wait for the next byte
  parameters: { reasoning_effort: 'low' }, // the provider's own words, sent as they are
  price: { inputPerMillion: '0.25', outputPerMillion: '2' }, // exact decimals; without it the price table, or unknown
  requestsPerMinute: 500, // over all workers, kept in Postgres
  contextWindow: 400_000,
};

/** Another provider takes over on named classes of error; the message says which model served. */
export const withFallback = defineAgent({
  name: 'with-fallback',
  model: hosted,
  fallbacks: [{ model: local, on: ['overloaded', 'quota', 'server-error'] }],
  context: { kind: 'summarise', at: 0.8 }, // or 'drop-oldest', or 'end'
});
