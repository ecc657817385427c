/** Serves the metrics of this process, and Temporal's own of the same process, at one address. */

import { timingSafeEqual } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { Registry } from 'prom-client';
import { SolidLoopError } from '../domain/errors';

/** Temporal's own endpoint is in this process. */
const TEMPORAL_TIMEOUT_MS = 2_000;
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

export interface MetricsAddress {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
  /** Asked for as `authorization: Bearer …`; must be given where `host` is not the loopback. */
  readonly token?: string;
}

export interface MetricsServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

export interface MetricsSources {
  readonly registry: Registry;
  /** Where Temporal's runtime serves its own, host:port on the loopback. */
  readonly temporalAddress?: string;
}

/** @throws ConfigError for another address than the loopback without a token, or a port that is taken */
export async function startMetricsServer(
  sources: MetricsSources,
  { host = '127.0.0.1', port, token }: MetricsAddress,
): Promise<MetricsServer> {
  assertSafe(host, token);
  const app = createMetricsApp(sources, token);
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: host, port }, (info) =>
      resolve({ port: info.port, close: () => new Promise((closed) => void server.close(() => closed())) }),
    );
    server.once('error', (error: Error) =>
      reject(
        new SolidLoopError('ConfigError', `metrics cannot be served at ${host}:${port}: ${error.message}; set SOLIDLOOP_METRICS_PORT`, {
          field: 'SOLIDLOOP_METRICS_PORT',
        }),
      ),
    );
  });
}

/** Whoever names another address opens it to a network: nobody may read it without the token. @throws ConfigError */
export function assertSafe(host: string, token: string | undefined): void {
  if (LOOPBACK.includes(host) || (token !== undefined && token !== '')) return;
  throw new SolidLoopError(
    'ConfigError',
    `metrics at ${host} could be read by anybody: set SOLIDLOOP_METRICS_TOKEN, or leave SOLIDLOOP_METRICS_HOST away`,
    {
      field: 'SOLIDLOOP_METRICS_TOKEN',
    },
  );
}

export function createMetricsApp({ registry, temporalAddress }: MetricsSources, token: string | undefined): Hono {
  const app = new Hono();
  app.get('/health', (context) => context.text('ok'));
  app.get('/metrics', async (context) => {
    if (token !== undefined && !isBearer(context.req.header('authorization'), token)) return context.text('a token is needed', 401);
    const [own, temporal] = await Promise.all([registry.metrics(), readTemporal(temporalAddress)]);
    return context.body(`${own}\n${temporal}`, 200, { 'content-type': registry.contentType });
  });
  return app;
}

async function readTemporal(address: string | undefined): Promise<string> {
  if (address === undefined) return '';
  try {
    const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(TEMPORAL_TIMEOUT_MS) });
    return await response.text();
  } catch {
    return "# Temporal's own metrics could not be read\n";
  }
}

function isBearer(header: string | undefined, token: string): boolean {
  const [given, wanted] = [Buffer.from(header ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
