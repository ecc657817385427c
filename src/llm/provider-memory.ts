/** What this process learnt from refusals, by endpoint (P46, P86, P88): lost with it, and then learnt again at the price of one request. */

import type { ProviderMemory } from './ports';

/** Endpoints are few; past this many the oldest is forgotten, so that a model name made up per loop cannot fill the memory. */
const ENDPOINTS_KEPT = 1000;

export function createProviderMemory(): ProviderMemory {
  const factsByEndpoint = new Map<string, Readonly<Record<string, unknown>>>();
  return {
    get: (endpoint) => factsByEndpoint.get(endpoint) ?? {},
    learn: (endpoint, facts) => {
      const merged = { ...factsByEndpoint.get(endpoint), ...facts };
      factsByEndpoint.delete(endpoint);
      factsByEndpoint.set(endpoint, merged);
      const oldest = factsByEndpoint.keys().next();
      if (factsByEndpoint.size > ENDPOINTS_KEPT && oldest.done !== true) factsByEndpoint.delete(oldest.value);
    },
  };
}
