/**
 * A day's work in minutes: many loops of many turns through one worker, its memory read on the way. Ends with 1 where the heap grows.
 * `npx tsx bench/soak.ts [--turns 100] [--loops 100] [--at-once 20] [--broken-one-in 50]` with DATABASE_URL and TEMPORAL_ADDRESS (the stack of `npm start`).
 */

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createApp, createDatabase, defineConfig, migrateToLatest, SolidLoopClient } from '../src/index';
import { NO_METRICS } from '../src/metrics/engine-metrics';
import { silentLogger } from '../src/util/logger';
import { createBenchAgent } from './bench-agent';
import { growthOf, type MemorySample, sampleMemory } from './memory';

const { values } = parseArgs({
  options: { turns: { type: 'string' }, loops: { type: 'string' }, 'at-once': { type: 'string' }, 'broken-one-in': { type: 'string' } },
});
const TURNS = Number(values.turns ?? 100);
const LOOPS = Number(values.loops ?? 100);
const AT_ONCE = Number(values['at-once'] ?? 20);
/** Each stream of that number breaks off in its middle, and its turn is tried again; 0: none. */
const BROKEN_ONE_IN = Number(values['broken-one-in'] ?? 50);
const SAMPLE_EVERY_TURNS = 1_000;
/** Until then code is compiled, and caches and pools fill. */
const WARM_UP_TURNS = 2_000;
const HEAP_LIMIT_MB_PER_1000_TURNS = 0.5;

async function main(): Promise<void> {
  const { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress } = process.env;
  if (databaseUrl === undefined || temporalAddress === undefined) throw new Error('set DATABASE_URL and TEMPORAL_ADDRESS');
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
  const model = fork(join(__dirname, 'fast-model.ts'), [TURNS, 1000, BROKEN_ONE_IN].map(String), { execArgv: ['--import', 'tsx'] });
  const [{ port }] = (await once(model, 'message')) as [{ port: number }];
  const db = createDatabase({ connectionString: databaseUrl, onIdleError: () => undefined });
  await migrateToLatest(db);
  await db.destroy();
  const taskQueue = `soak-${randomUUID()}`;
  const { samples, turnCommitted } = createSampler();
  const app = await createApp({
    databaseUrl,
    temporalAddress,
    namespace: 'default',
    taskQueue,
    config: defineConfig({ agents: [createBenchAgent(`http://127.0.0.1:${port}/v1`)] }),
    metrics: { ...NO_METRICS, turnCommitted },
    makeSchedule: false,
    logger: silentLogger,
  });
  const running = app.run();
  const client = await SolidLoopClient.connect({ databaseUrl, temporalAddress, taskQueue });
  await runLoops(client);
  app.worker.shutdown();
  await running;
  await client.close();
  model.kill();
  judge(samples);
}

function createSampler(): { readonly samples: readonly MemorySample[]; readonly turnCommitted: () => void } {
  const samples: MemorySample[] = [];
  const start = performance.now();
  let turns = 0;
  const turnCommitted = (): void => {
    turns += 1;
    if (turns % SAMPLE_EVERY_TURNS !== 0) return;
    const sample = sampleMemory(turns, (performance.now() - start) / 1000);
    samples.push(sample);
    console.log(format(sample));
  };
  return { samples, turnCommitted };
}

async function runLoops(client: SolidLoopClient): Promise<void> {
  let started = 0;
  const lane = async (): Promise<void> => {
    while (started++ < LOOPS) {
      const { loopId } = await client.start({ agent: 'bench', message: 'go on' });
      const { status, errorMessage } = await client.result(loopId);
      if (status !== 'completed') throw new Error(`loop ${loopId} is ${status}: ${errorMessage ?? ''}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

const format = ({ turns, seconds, heap, code, external, rss }: MemorySample): string =>
  `${turns} turns, ${Math.round(turns / seconds)} turns/s: heap ${heap.toFixed(1)} MB, code ${code.toFixed(1)} MB, external ${external.toFixed(1)} MB, RSS ${rss.toFixed(0)} MB`;

function judge(samples: readonly MemorySample[]): void {
  const settled = samples.filter(({ turns }) => turns >= WARM_UP_TURNS);
  const heap = growthOf(settled, (sample) => sample.heap);
  const rss = growthOf(settled, (sample) => sample.rss);
  console.log(
    `per 1,000 turns after the first ${WARM_UP_TURNS}: heap ${heap.toFixed(2)} MB (limit ${HEAP_LIMIT_MB_PER_1000_TURNS}), RSS ${rss.toFixed(2)} MB`,
  );
  if (heap > HEAP_LIMIT_MB_PER_1000_TURNS) process.exitCode = 1;
}

void main();
