/**
 * A day's work in minutes: many loops of many turns through one worker, its memory read on the way.
 * `npx tsx bench/soak.ts [--turns 100] [--loops 100] [--at-once 20]` with DATABASE_URL and TEMPORAL_ADDRESS (the stack of `npm start`).
 */

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createApp, createDatabase, defineConfig, migrateToLatest, SolidLoopClient } from '../src/index';
import { createBenchAgent } from './bench-agent';

const { values } = parseArgs({ options: { turns: { type: 'string' }, loops: { type: 'string' }, 'at-once': { type: 'string' } } });
const TURNS = Number(values.turns ?? 100);
const LOOPS = Number(values.loops ?? 100);
const AT_ONCE = Number(values['at-once'] ?? 20);
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function main(): Promise<void> {
  const { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress } = process.env;
  if (databaseUrl === undefined || temporalAddress === undefined) throw new Error('set DATABASE_URL and TEMPORAL_ADDRESS');
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const model = fork(join(__dirname, 'fast-model.ts'), [String(TURNS), '1000'], { execArgv: ['--import', 'tsx'] });
  const [{ port }] = (await once(model, 'message')) as [{ port: number }];
  const db = createDatabase({ connectionString: databaseUrl, onIdleError: () => undefined });
  await migrateToLatest(db);
  await db.destroy();
  const taskQueue = `soak-${randomUUID()}`;
  const config = defineConfig({ agents: [createBenchAgent(`http://127.0.0.1:${port}/v1`)] });
  const app = await createApp({
    databaseUrl,
    temporalAddress,
    namespace: 'default',
    taskQueue,
    config,
    makeSchedule: false,
    logger: silent,
  });
  const running = app.run();
  const client = await SolidLoopClient.connect({ databaseUrl, temporalAddress, taskQueue });
  let started = 0;
  let ended = 0;
  const start = performance.now();
  const lane = async (): Promise<void> => {
    while (started++ < LOOPS) {
      const { loopId } = await client.start({ agent: 'bench', message: 'go on' });
      const { status, errorMessage } = await client.result(loopId);
      if (status !== 'completed') throw new Error(`loop ${loopId} is ${status}: ${errorMessage ?? ''}`);
      ended += 1;
      if (ended % Math.ceil(LOOPS / 10) !== 0) continue;
      const megabytes = Math.round(process.memoryUsage().rss / 2 ** 20);
      const rate = Math.round((ended * TURNS * 1000) / (performance.now() - start));
      console.log(`${ended * TURNS} turns, ${rate} turns/s, worker and client ${megabytes} MB`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  app.worker.shutdown();
  await running;
  await client.close();
  model.kill();
}

void main();
