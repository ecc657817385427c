/** What this process learnt from refusals, by endpoint (P46, P86, P88): lost with it, and then learnt again at the price of one request. */

import { BoundedMap } from '../util/bounded-map';
import type { ProviderMemory } from './ports';

/** Endpoints are few; past this many the oldest is forgotten, so that a model name made up per loop cannot fill the memory. */
const ENDPOINTS_KEPT = 1000;

export function createProviderMemory(): ProviderMemory {
  const factsByEndpoint = new BoundedMap<string, Readonly<Record<string, unknown>>>(ENDPOINTS_KEPT);
  return {
    get: (endpoint) => factsByEndpoint.get(endpoint) ?? {},
    learn: (endpoint, facts) => factsByEndpoint.set(endpoint, { ...factsByEndpoint.get(endpoint), ...facts }),
  };
}
