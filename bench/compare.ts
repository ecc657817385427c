/** Two ways to run the same loop, measured in one run by turns: A B A B …, and told as ratios. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** One way to run loops. */
export interface Subject {
  readonly name: string;
  readonly runLoop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Work {
  readonly turns: number;
  /** At a time, where many run together. */
  readonly loops: number;
  readonly rounds: number;
}

/** Milliseconds a turn of a loop alone; turns a second of many loops; milliseconds of CPU a turn. */
interface Measurement {
  readonly alone: number;
  readonly together: number;
  readonly cpu: number;
}

const ALONE_LOOPS = 3;

/** Prints each round, then the median over the rounds of each ratio to the first subject. */
export async function compare(subjects: readonly [Subject, Subject], work: Work): Promise<void> {
  const [base, other] = subjects;
  const rounds: { readonly base: Measurement; readonly other: Measurement }[] = [];
  for (const subject of subjects) await subject.runLoop();
  for (let round = 1; round <= work.rounds; round++) {
    rounds.push({ base: await measure(base, work, round), other: await measure(other, work, round) });
  }
  const ratio = (of: (measurement: Measurement) => number): string =>
    median(rounds.map((round) => of(round.other) / of(round.base))).toFixed(2);
  console.log(
    `${other.name} to ${base.name} (median of rounds): ${ratio((it) => it.alone)} × ms/turn alone, ${ratio((it) => it.together)} × turns/s, ${ratio((it) => it.cpu)} × CPU/turn`,
  );
  for (const subject of subjects) await subject.close();
}

async function measure({ name, runLoop }: Subject, { turns, loops }: Work, round: number): Promise<Measurement> {
  const aloneStart = performance.now();
  for (let n = 0; n < ALONE_LOOPS; n++) await runLoop();
  const alone = (performance.now() - aloneStart) / (ALONE_LOOPS * turns);
  const cpuStart = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: loops }, runLoop));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpuStart);
  const measured = { alone, together: (loops * turns) / seconds, cpu: (user + system) / 1000 / (loops * turns) };
  console.log(
    `round ${round} ${name}: ${alone.toFixed(1)} ms/turn alone, ${measured.together.toFixed(0)} turns/s with ${loops} loops, ${measured.cpu.toFixed(1)} ms CPU/turn`,
  );
  return measured;
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

/** A model without think time, in a process of its own. */
export async function startFastModel(turns: number, resultChars: number): Promise<{ readonly baseURL: string; readonly stop: () => void }> {
  const model = fork(join(__dirname, 'fast-model.ts'), [String(turns), String(resultChars)], { execArgv: ['--import', 'tsx'] });
  const [{ port }] = (await once(model, 'message')) as [{ port: number }];
  return { baseURL: `http://127.0.0.1:${port}/v1`, stop: () => void model.kill() };
}

/** @throws where the stack's address is not given */
export function stackAddress(): { readonly databaseUrl: string; readonly temporalAddress: string } {
  const needed = (name: string): string => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`set ${name}: start the stack with \`npm start\` and give its address`);
    return value;
  };
  return { databaseUrl: needed('DATABASE_URL'), temporalAddress: needed('TEMPORAL_ADDRESS') };
}
