/**
 * What a turn costs, beside the least that a hand-written loop on Temporal costs, in one run: A B A B …
 * `npx tsx bench/turns.ts [--turns 20] [--result 1000] [--loops 50] [--rounds 3]` with DATABASE_URL and TEMPORAL_ADDRESS (the stack of `npm start`).
 */

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { Pool } from 'pg';
import { createApp, createDatabase, defineConfig, migrateToLatest, SolidLoopClient } from '../src/index';
import { BASELINE_TABLE, createBaselineActivities } from './baseline/activities';
import { createBenchAgent } from './bench-agent';

const { values } = parseArgs({
  options: { turns: { type: 'string' }, result: { type: 'string' }, loops: { type: 'string' }, rounds: { type: 'string' } },
});
const TURNS = Number(values.turns ?? 20);
const RESULT = Number(values.result ?? 1000);
const LOOPS = Number(values.loops ?? 50);
const ROUNDS = Number(values.rounds ?? 3);
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

interface Subject {
  readonly name: string;
  readonly runLoop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Measurement {
  readonly alone: number;
  readonly together: number;
  readonly cpu: number;
}

const needed = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`set ${name}: start the stack with \`npm start\` and give its address`);
  return value;
};

async function openBaseline(databaseUrl: string, address: string, baseURL: string): Promise<Subject> {
  const pool = new Pool({ connectionString: databaseUrl, max: 20 });
  await pool.query(BASELINE_TABLE);
  const taskQueue = `bench-${randomUUID()}`;
  const [native, connection] = await Promise.all([NativeConnection.connect({ address }), Connection.connect({ address })]);
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowsPath: require.resolve('./baseline/workflow'),
    activities: createBaselineActivities(pool, baseURL),
  });
  const running = worker.run();
  const client = new Client({ connection });
  return {
    name: 'baseline',
    runLoop: async () => {
      const id = randomUUID();
      await client.workflow.execute('baselineLoop', { workflowId: id, taskQueue, args: [id] });
    },
    close: async () => {
      worker.shutdown();
      await running;
      await Promise.all([native.close(), connection.close(), pool.end()]);
    },
  };
}

async function openSolidLoop(databaseUrl: string, temporalAddress: string, baseURL: string): Promise<Subject> {
  const db = createDatabase({ connectionString: databaseUrl, onIdleError: () => undefined });
  await migrateToLatest(db);
  await db.destroy();
  const taskQueue = `bench-${randomUUID()}`;
  const app = await createApp({
    databaseUrl,
    temporalAddress,
    namespace: 'default',
    taskQueue,
    config: defineConfig({ agents: [createBenchAgent(baseURL)] }),
    logger: silent,
    makeSchedule: false,
  });
  const running = app.run();
  const client = await SolidLoopClient.connect({ databaseUrl, temporalAddress, taskQueue });
  const connection = await Connection.connect({ address: temporalAddress });
  const temporal = new Client({ connection });
  return {
    name: 'solidloop',
    runLoop: async () => {
      const { workflowId } = await client.start({ agent: 'bench', message: 'go on' });
      await temporal.workflow.getHandle(workflowId).result();
    },
    close: async () => {
      app.worker.shutdown();
      await running;
      await Promise.all([client.close(), connection.close()]);
    },
  };
}

async function measure({ runLoop }: Subject): Promise<Measurement> {
  const aloneStart = performance.now();
  for (let n = 0; n < 3; n++) await runLoop();
  const alone = (performance.now() - aloneStart) / (3 * TURNS);
  const cpuStart = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: LOOPS }, runLoop));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpuStart);
  return { alone, together: (LOOPS * TURNS) / seconds, cpu: (user + system) / 1000 / (LOOPS * TURNS) };
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

async function main(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const model = fork(join(__dirname, 'fast-model.ts'), [String(TURNS), String(RESULT)], { execArgv: ['--import', 'tsx'] });
  const [{ port }] = (await once(model, 'message')) as [{ port: number }];
  const baseURL = `http://127.0.0.1:${port}/v1`;
  const subjects = [
    await openBaseline(needed('DATABASE_URL'), needed('TEMPORAL_ADDRESS'), baseURL),
    await openSolidLoop(needed('DATABASE_URL'), needed('TEMPORAL_ADDRESS'), baseURL),
  ];
  const results = new Map<string, Measurement[]>(subjects.map(({ name }) => [name, []]));
  for (const subject of subjects) await subject.runLoop();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const subject of subjects) {
      const measured = await measure(subject);
      results.get(subject.name)?.push(measured);
      console.log(
        `round ${round} ${subject.name}: ${measured.alone.toFixed(1)} ms/turn alone, ${measured.together.toFixed(0)} turns/s with ${LOOPS} loops, ${measured.cpu.toFixed(1)} ms CPU/turn`,
      );
    }
  }
  const ratio = (of: (measurement: Measurement) => number): string => {
    const [baseline = [], ours = []] = [...results.values()];
    return median(ours.map((measurement, round) => of(measurement) / of(baseline[round] ?? measurement))).toFixed(2);
  };
  console.log(
    `ratio to the baseline (median of rounds): ${ratio((m) => m.alone)} × ms/turn alone, ${ratio((m) => m.together)} × turns/s, ${ratio((m) => m.cpu)} × CPU/turn`,
  );
  for (const subject of subjects) await subject.close();
  model.kill();
}

void main();
