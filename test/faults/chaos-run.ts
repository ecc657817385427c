/** `npm run test:chaos`: a long random schedule of faults over many loops, and the report of it. Exit code 1 where an invariant is broken. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import setUp from '../support/global-setup';
import tearDown from '../support/global-teardown';
import { type ChaosPlan, planChaos } from './support/chaos-plan';
import { openChaosServers } from './support/chaos-servers';
import { type ChaosOutcome, runChaos } from './support/run-chaos';

interface ChaosArguments {
  readonly loops: string;
  readonly faults: string;
  readonly seed: string;
  readonly atOnce: string;
  readonly workers: string;
  readonly outages: string;
  readonly report?: string;
}

const PROGRESS_EVERY = 25;
const areGiven = process.env.DATABASE_URL !== undefined && process.env.TEMPORAL_ADDRESS !== undefined;

const options = new Command()
  .option('--loops <number>', 'loops in all', '1000')
  .option('--faults <number>', 'faults planned; not every one is met', '2500')
  .option('--seed <number>', 'the schedule', String(Date.now() % 2 ** 31))
  .option('--outages <number>', 'crashes of Postgres and restarts of Temporal, where the servers are of this run', '0')
  .option('--at-once <number>', 'loops at a time', '50')
  .option('--workers <number>', 'worker processes', '2')
  .option('--report <file>', 'where the report is written', resolve(__dirname, '../../bench/chaos-report.md'))
  .parse()
  .opts<ChaosArguments>();

async function main(): Promise<void> {
  const { seed, loops, faults, outages } = options;
  const plan = planChaos({ seed: Number(seed), loops: Number(loops), faults: Number(faults), outages: Number(outages) });
  process.stdout.write(`seed ${plan.seed}: ${plan.loops.length} loops, ${faults} faults, ${outages} outages\n`);
  const servers = Number(outages) === 0 ? undefined : await openChaosServers(ownDatabaseUrl());
  const outcome = await runChaos({
    plan,
    servers,
    loopsAtOnce: Number(options.atOnce),
    workers: Number(options.workers),
    onProgress: (ended, tally) => {
      if (ended % PROGRESS_EVERY === 0) process.stdout.write(`${ended} loops have ended; ${faultsIn(tally)} faults struck\n`);
    },
  }).finally(() => servers?.close());
  const report = formatReport(plan, outcome);
  process.stdout.write(report);
  if (options.report !== undefined) {
    mkdirSync(dirname(options.report), { recursive: true });
    writeFileSync(options.report, report);
  }
  process.exitCode = outcome.violations.length === 0 ? 0 : 1;
}

/** @throws Error where the servers are others' */
function ownDatabaseUrl(): string {
  if (areGiven) throw new Error('--outages needs servers of its own: leave DATABASE_URL and TEMPORAL_ADDRESS unset');
  return process.env.DATABASE_URL ?? '';
}

const isControl = (name: string): boolean => name.startsWith('control:');
const isFault = (name: string): boolean => !isControl(name) && !name.startsWith('reconciler:');

function faultsIn(tally: ReadonlyMap<string, number>): number {
  return [...tally].filter(([name]) => isFault(name)).reduce((sum, [, times]) => sum + times, 0);
}

function formatReport({ seed, loops }: ChaosPlan, { violations, tally, statuses, requests, seconds }: ChaosOutcome): string {
  const rows = [...tally].toSorted(([a], [b]) => a.localeCompare(b)).map(([name, times]) => `| ${name} | ${times} |`);
  const broken = violations.map(({ id, loopId, detail }) => `- \`${id}\` loop ${loopId ?? '-'}: ${detail}`);
  return [
    '# Chaos: a random schedule of faults and controls',
    '',
    `Made by \`npm run test:chaos -- --loops ${loops.length} --faults ${options.faults} --outages ${options.outages} --seed ${seed} --at-once ${options.atOnce} --workers ${options.workers}\`.`,
    `The same seed is the same schedule; which step meets which fault depends on the machine.`,
    '',
    `- ${loops.length} loops with parallel tool calls of every effect, ${options.atOnce} at once on ${options.workers} worker processes`,
    `- ${faultsIn(tally)} faults struck, ${[...tally].filter(([name]) => isControl(name) && !name.includes('refused')).reduce((sum, [, times]) => sum + times, 0)} controls were sent (each twice, under its key)`,
    `- ends: ${Object.entries(statuses)
      .map(([status, times]) => `${times} ${status}`)
      .join(', ')}`,
    `- ${requests} requests to the model, ${Math.round(seconds)} s`,
    `- **${violations.length} violations** of the invariants`,
    ...broken,
    '',
    '| what | times |',
    '| --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** The servers that the environment names, or an embedded stack of this run. */
async function withServers(run: () => Promise<void>): Promise<void> {
  // A worker that is stopped would outlive this process: the handlers of `exit` end it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  if (!areGiven) await setUp({ nonFlagArgs: [] });
  await run().finally(() => areGiven || tearDown());
}

withServers(main).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
