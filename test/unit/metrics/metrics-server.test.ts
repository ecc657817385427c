/** Metrics over HTTP: what is served, and who may read it. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { registerLoopGauges } from '../../../src/metrics/loop-gauges';
import { assertSafe, createMetricsApp, startMetricsServer } from '../../../src/metrics/metrics-server';
import { PrometheusMetrics } from '../../../src/metrics/prometheus-metrics';

const LOOPS = { init: 0, queued: 1, running: 2, paused: 3, completed: 4, failed: 5, cancelled: 6 };

it('serves the engine’s counts by name', async () => {
  const metrics = new PrometheusMetrics();
  const end = metrics.stepStarted('turn', 0.2);
  metrics.stepStarted('tool', 0.01)('LostLease');
  metrics.tookOver('turn');
  metrics.providerCalled({ model: 'gpt-5', seconds: 2, errorClass: 'rate-limit' });
  metrics.turnCommitted({
    agent: 'librarian',
    model: 'gpt-5',
    usage: { prompt: 100, completion: 20, total: 120, promptCached: 40, reasoning: null },
    cost: { amountUsd: '0.0125', isKnown: true },
  });
  const text = await (await createMetricsApp({ registry: metrics.registry }, undefined).request('/metrics')).text();
  for (const line of [
    'solidloop_steps_in_flight{kind="turn"} 1',
    'solidloop_steps_in_flight{kind="tool"} 0',
    'solidloop_lost_leases_total{kind="tool"} 1',
    'solidloop_takeovers_total{kind="turn"} 1',
    'solidloop_provider_errors_total{model="gpt-5",class="rate-limit"} 1',
    'solidloop_tokens_total{agent="librarian",model="gpt-5",kind="prompt"} 100',
    'solidloop_tokens_total{agent="librarian",model="gpt-5",kind="promptCached"} 40',
    'solidloop_cost_usd_total{agent="librarian",model="gpt-5"} 0.0125',
    'solidloop_step_queue_seconds_bucket{le="0.5",kind="turn"} 1',
  ])
    expect(text.split('\n')).toContain(line);
  end();
});

it('reads the gauges of the tables at each request, and says when it cannot', async () => {
  const registry = new Registry();
  let isAway = false;
  registerLoopGauges(registry, async () => {
    if (isAway) throw new Error('away');
    return { loops: LOOPS, oldestStuckSeconds: 12, overdueWakes: 1, reconcilerAgeSeconds: null };
  });
  const there = await registry.metrics();
  for (const line of [
    'solidloop_loops{status="paused"} 3',
    'solidloop_loops_ended_last_hour{status="failed"} 5',
    'solidloop_oldest_stuck_seconds 12',
    'solidloop_tables_up 1',
  ])
    expect(there.split('\n')).toContain(line);
  isAway = true;
  const away = await registry.metrics();
  expect(away.split('\n')).toContain('solidloop_tables_up 0');
  expect(away).not.toContain('solidloop_loops{');
});

it('asks for the token where there is one, and serves health without it', async () => {
  const app = createMetricsApp({ registry: new Registry() }, 'secret');
  expect((await app.request('/metrics')).status).toBe(401);
  expect((await app.request('/metrics', { headers: { authorization: 'Bearer other!' } })).status).toBe(401);
  expect((await app.request('/metrics', { headers: { authorization: 'Bearer secret' } })).status).toBe(200);
  expect((await app.request('/health')).status).toBe(200);
});

it('refuses another address than the loopback without a token', () => {
  expect(() => assertSafe('0.0.0.0', undefined)).toThrow(
    expect.objectContaining({ code: 'ConfigError', message: expect.stringContaining('SOLIDLOOP_METRICS_TOKEN') as unknown }) as Error,
  );
  expect(() => assertSafe('0.0.0.0', 'secret')).not.toThrow();
  expect(() => assertSafe('127.0.0.1', undefined)).not.toThrow();
});

it('serves Temporal’s own metrics at the same address, and works where they are away', async () => {
  const temporal = createServer(
    (_request, response) => void response.writeHead(200, { connection: 'close' }).end('temporal_workflow_task_total 7\n'),
  );
  await new Promise<void>((resolve) => temporal.listen(0, '127.0.0.1', resolve));
  const temporalAddress = `127.0.0.1:${(temporal.address() as AddressInfo).port}`;
  const server = await startMetricsServer({ registry: new Registry(), temporalAddress }, { port: 0 });
  const read = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${server.port}/metrics`, { headers: { connection: 'close' } })).text();
  expect(await read()).toContain('temporal_workflow_task_total 7');
  await new Promise((resolve) => temporal.close(resolve));
  expect(await read()).toContain('could not be read');
  await expect(startMetricsServer({ registry: new Registry() }, { port: server.port })).rejects.toMatchObject({
    code: 'ConfigError',
    field: 'SOLIDLOOP_METRICS_PORT',
  });
  await server.close();
});
