/**
 * Measures how long a pause takes to abort a call in flight: from the request to `onLost` in another connection's process, over
 * NOTIFY, with 200 other leases held. Run: DATABASE_URL=… npx tsx bench/control-latency.ts (makes and drops a database of its own)
 */

import { controlLoop } from '../src/db/control/control-loop';
import { FenceListener } from '../src/db/leases/fence-listener';
import { LeaseRenewer } from '../src/db/leases/lease-renewer';
import { systemClock } from '../src/util/clock';
import { silentLogger } from '../src/util/logger';
import { createTestDatabase } from '../test/support/database';
import { loopInTurn, type TestTurn } from '../test/support/loops';

const ROUNDS = 200;
const OTHER_LEASES = 200;
const LIMIT_MS = 100;

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

async function main(): Promise<void> {
  const database = await createTestDatabase();
  const listener = new FenceListener({ connectionString: database.url, clock: systemClock, logger: silentLogger });
  await listener.start();
  const renewer = new LeaseRenewer({
    connectionString: database.url,
    listener,
    clock: systemClock,
    logger: silentLogger,
    settings: { leaseLeakGrace: 300 },
  });
  const hold = ({ loopId, generation }: TestTurn, onLost: () => void) =>
    renewer.register({ kind: 'turn', loopId, generation, leaseSeconds: 60, limitSeconds: 600, onLost });
  for (let index = 0; index < OTHER_LEASES; index += 1) hold(await loopInTurn(database.db), () => undefined);

  const requestToAbortMs: number[] = [];
  const commitToAbortMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const turn = await loopInTurn(database.db);
    const aborted = new Promise<number>((resolve) => void hold(turn, () => resolve(performance.now())));
    const askedMs = performance.now();
    await controlLoop(database.db, turn.loopId, { verb: 'pause', key: `round ${round}` });
    const answeredMs = performance.now();
    const abortedMs = await aborted;
    requestToAbortMs.push(abortedMs - askedMs);
    commitToAbortMs.push(abortedMs - answeredMs);
  }
  await renewer.close();
  await listener.close();
  await database.drop();
  report('request to abort', requestToAbortMs);
  report('answer to abort', commitToAbortMs);
  if (
    percentile(
      requestToAbortMs.toSorted((a, b) => a - b),
      0.5,
    ) > LIMIT_MS
  )
    process.exitCode = 1;
}

function report(name: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const [median, late, last] = [0.5, 0.95, 1].map((part) => percentile(sorted, part).toFixed(1));
  console.log(
    `${name}: median ${median} ms, 95 % within ${late} ms, longest ${last} ms (${times.length} rounds, ${OTHER_LEASES} other leases)`,
  );
}

void main();
