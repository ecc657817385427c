/**
 * Measures what 500 paused loops cost one worker while nothing happens: processor time, statements of Postgres, requests to Temporal,
 * against the same worker with none. Run: DATABASE_URL=… TEMPORAL_ADDRESS=… npx tsx bench/paused-loops.ts [loops] [seconds]
 */

import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { defineAgent } from '../src/agents/define-agent';
import { defineConfig } from '../src/agents/define-config';
import { createApp } from '../src/app';
import { SolidLoopClient } from '../src/client/solid-loop-client';
import type { Database } from '../src/db/database';
import { silentLogger } from '../src/util/logger';
import { createTestDatabase } from '../test/support/database';
import { waitUntil } from '../test/support/wait-until';
import { quietRuntime, temporalAddress, workflowSource } from '../test/support/workflows';

const LOOPS = Number(process.argv[2] ?? 500);
const SECONDS = Number(process.argv[3] ?? 20);
const PARALLEL_STARTS = 25;
/** After the last change: heartbeats, sweeps and the like are over. */
const SETTLING_MS = 5_000;

interface Cost {
  readonly processorMs: number;
  readonly transactions: number;
  readonly heapMb: number;
}

async function transactionsOf(db: Database): Promise<number> {
  const { rows } = await sql<{
    count: string;
  }>`select xact_commit as count from pg_stat_database where datname = current_database()`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** The server's own housekeeping counts as transactions too. */
async function stopHousekeeping(db: Database): Promise<void> {
  for (const table of ['loops', 'messages', 'tool_calls', 'events', 'control_requests', 'live_parts'])
    await sql`alter table ${sql.table(`solid_loop.${table}`)} set (autovacuum_enabled = false)`.execute(db);
}

/** Of this process, in which worker and nothing else runs. */
async function measure(db: Database): Promise<Cost> {
  await delay(SETTLING_MS);
  globalThis.gc?.();
  const [before, transactions] = [process.cpuUsage(), await transactionsOf(db)];
  await delay(SECONDS * 1000);
  const { user, system } = process.cpuUsage(before);
  return {
    processorMs: (user + system) / 1000,
    transactions: (await transactionsOf(db)) - transactions,
    heapMb: process.memoryUsage().heapUsed / 1e6,
  };
}

const show = (what: string, { processorMs, transactions, heapMb }: Cost): void =>
  console.log(
    `${what}: ${(processorMs / SECONDS).toFixed(1)} ms of processor a second, ${(transactions / SECONDS).toFixed(1)} transactions a second, heap ${heapMb.toFixed(0)} MB`,
  );

async function main(): Promise<void> {
  quietRuntime();
  const database = await createTestDatabase();
  await stopHousekeeping(database.db);
  const taskQueue = `bench-${Date.now()}`;
  // Paused before their first turn: no model is asked.
  const config = defineConfig({ agents: [defineAgent({ name: 'sleeper', model: { name: 'none', baseURL: 'http://127.0.0.1:9/v1' } })] });
  const app = await createApp({
    databaseUrl: database.url,
    temporalAddress: temporalAddress(),
    namespace: 'default',
    taskQueue,
    config,
    logger: silentLogger,
    makeSchedule: false,
    workflows: workflowSource(),
  });
  const ended = app.run();
  const client = await SolidLoopClient.connect({ databaseUrl: database.url, temporalAddress: temporalAddress(), taskQueue });

  const without = await measure(database.db);
  show('no loop', without);
  for (let started = 0; started < LOOPS; started += PARALLEL_STARTS)
    await Promise.all(
      Array.from({ length: Math.min(PARALLEL_STARTS, LOOPS - started) }, async () => {
        const { loopId } = await client.start({ agent: 'sleeper', message: 'wait' });
        await client.control(loopId, { verb: 'pause' });
      }),
    );
  await waitUntil(
    'all workflows to wait',
    async () => {
      const { rows } = await sql<{
        count: string;
      }>`select count(*) as count from solid_loop.loops where status = 'paused' and wake_due_at is null and run_id is not null`.execute(
        database.db,
      );
      return Number(rows[0]?.count) === LOOPS;
    },
    300_000,
  );
  const paused = await measure(database.db);
  show(`${LOOPS} paused loops`, paused);
  console.log(
    `difference: ${((paused.processorMs - without.processorMs) / SECONDS).toFixed(1)} ms of processor a second, ${((paused.transactions - without.transactions) / SECONDS).toFixed(1)} transactions a second, ${(((paused.heapMb - without.heapMb) * 1000) / LOOPS).toFixed(0)} kB of heap a loop`,
  );

  await client.controlMany({ agent: 'sleeper' }, { verb: 'stop' });
  app.worker.shutdown();
  await ended;
  await client.close();
  await database.drop();
}

void main();
