/** Lease arithmetic (R11, R12, R14, R19, R45). All times in seconds unless named otherwise. */

import type { EngineSettings } from './settings';

const isPositive = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0;

/** R11: a turn's lease outlives the client's read timeout; a missing or senseless timeout means the default. */
export function turnLeaseSeconds(readTimeoutSeconds: unknown, settings: EngineSettings): number {
  return (isPositive(readTimeoutSeconds) ? readTimeoutSeconds : settings.defaultReadTimeout) + settings.leaseMargin;
}

/** An MCP server that is reached over HTTP; others have no timeout that counts (R12). */
export interface HttpTimeout {
  readonly timeoutSeconds?: number;
}

export const DEFAULT_MCP_HTTP_TIMEOUT_SECONDS = 60;

/** R12: the slowest client a healthy tool call can be blocked in, and the margin. */
export function toolLeaseSeconds(httpServers: readonly HttpTimeout[], settings: EngineSettings): number {
  const slowest = httpServers.map((server) =>
    isPositive(server.timeoutSeconds) ? server.timeoutSeconds : DEFAULT_MCP_HTTP_TIMEOUT_SECONDS,
  );
  return Math.max(settings.defaultToolTimeout, ...slowest) + settings.leaseMargin;
}

export const MIN_TICK_SECONDS = 1;
export const MAX_TICK_SECONDS = 15;

/** R14: a quarter of the shortest registered lease, within 1 and 15 s. */
export function renewalTickSeconds(leases: readonly number[]): number {
  return Math.min(MAX_TICK_SECONDS, Math.max(MIN_TICK_SECONDS, Math.min(...leases) / 4));
}

/** R45: Temporal's limit on one attempt is past our own, so that ours is the one that speaks. */
export const startToCloseSeconds = (limitSeconds: number, settings: EngineSettings): number => limitSeconds + 2 * settings.leaseLeakGrace;
