/**
 * Measures how long a pause takes to end a streaming call of the model, end to end: from the client's request to the provider's side seeing
 * the connection close, with other loops streaming on the same worker. Fails over 100 ms at the median.
 * Run: DATABASE_URL=… TEMPORAL_ADDRESS=… npx tsx bench/pause-latency.ts [rounds]
 */

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineAgent } from '../src/agents/define-agent';
import { defineConfig } from '../src/agents/define-config';
import { createApp } from '../src/app';
import { SolidLoopClient } from '../src/client/solid-loop-client';
import { silentLogger } from '../src/util/logger';
import { createTestDatabase } from '../test/support/database';
import { waitUntil } from '../test/support/wait-until';
import { quietRuntime, temporalAddress, workflowSource } from '../test/support/workflows';

const ROUNDS = Number(process.argv[2] ?? 40);
const OTHERS = 10;
const LIMIT_MS = 100;
const TOKEN_EVERY_MS = 20;

/** A model that never ends its answer. `closedMs` is when its last connection was closed by the other side. */
async function startEndlessModel(): Promise<{
  readonly baseURL: string;
  readonly streams: Set<ServerResponse>;
  closedMs: number;
  readonly server: Server;
}> {
  const streams = new Set<ServerResponse>();
  const state = { closedMs: 0 };
  const server = createServer((request, response) => {
    request.resume();
    streams.add(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = JSON.stringify({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }],
    });
    const timer = setInterval(() => response.write(`data: ${chunk}\n\n`), TOKEN_EVERY_MS);
    response.on('close', () => {
      state.closedMs = performance.now();
      clearInterval(timer);
      streams.delete(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, streams, server });
}

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? NaN;

async function main(): Promise<void> {
  quietRuntime();
  const [database, model] = await Promise.all([createTestDatabase(), startEndlessModel()]);
  const taskQueue = `bench-${Date.now()}`;
  const config = defineConfig({ agents: [defineAgent({ name: 'talker', model: { name: 'm', baseURL: model.baseURL } })] });
  const app = await createApp({
    databaseUrl: database.url,
    temporalAddress: temporalAddress(),
    namespace: 'default',
    taskQueue,
    config,
    settings: { shutdownGrace: 1 },
    logger: silentLogger,
    makeSchedule: false,
    workflows: workflowSource(),
  });
  const ended = app.run();
  const client = await SolidLoopClient.connect({ databaseUrl: database.url, temporalAddress: temporalAddress(), taskQueue });
  for (let index = 0; index < OTHERS; index += 1) await client.start({ agent: 'talker', message: 'talk' });
  await waitUntil('the others to stream', () => model.streams.size === OTHERS);

  const latencies: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { loopId } = await client.start({ agent: 'talker', message: 'talk' });
    await waitUntil('the stream', () => model.streams.size === OTHERS + 1);
    model.closedMs = 0;
    const askedMs = performance.now();
    await client.control(loopId, { verb: 'pause' });
    await waitUntil('the end of the call', () => model.closedMs > 0);
    latencies.push(model.closedMs - askedMs);
    await client.control(loopId, { verb: 'stop' });
  }
  const [median, p95, most] = [percentile(latencies, 0.5), percentile(latencies, 0.95), Math.max(...latencies)];
  console.log(
    `pause of a streaming call, ${ROUNDS} rounds beside ${OTHERS} others: median ${median.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, most ${most.toFixed(0)} ms`,
  );
  if (median > LIMIT_MS) process.exitCode = 1;

  await client.controlMany({ agent: 'talker' }, { verb: 'stop' });
  app.worker.shutdown();
  await ended;
  await client.close();
  model.server.closeAllConnections();
  await new Promise((resolve) => model.server.close(resolve));
  await database.drop();
}

void main();
