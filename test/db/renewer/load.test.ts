/** A thousand leases in flight beside a small, busy pool. Real clock. */

import { sql } from 'kysely';
import { FenceListener } from '../../../src/db/leases/fence-listener';
import { LeaseRenewer } from '../../../src/db/leases/lease-renewer';
import { type Generation, type LoopId, toId } from '../../../src/domain/ids';
import { systemClock } from '../../../src/util/clock';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { createRecordingLogger } from '../../support/recording-logger';

const LEASES = 1_000;
const POOL_SIZE = 4;
/** Renewed each second: without renewal every lease would be over before the test is. */
const LEASE_SECONDS = 4;
const BUSY_SECONDS = 7;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ poolSize: POOL_SIZE });
});
afterAll(() => database.drop());

async function insertRunningLoops(): Promise<readonly LoopId[]> {
  const { rows } = await sql<{ id: string }>`
    insert into solid_loop.loops (workflow_id, task_queue, start_key, agent_name, status, generation, lease_expires_at)
    select 'w' || n, 'solidloop', 'k' || n, 'librarian', 'running', 1, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from generate_series(1, ${LEASES}) n returning id`.execute(database.db);
  return rows.map(({ id }) => toId<LoopId>(id));
}

it('R14: 1,000 leases beside a busy pool of 4: none is lost, two connections are used', async () => {
  const logger = createRecordingLogger();
  const listener = new FenceListener({ connectionString: database.url, clock: systemClock, logger });
  await listener.start();
  const renewer = new LeaseRenewer({
    connectionString: database.url,
    listener,
    clock: systemClock,
    logger,
    settings: { leaseLeakGrace: 300 },
  });
  const loopIds = await insertRunningLoops();
  const lost: LoopId[] = [];
  for (const loopId of loopIds) {
    renewer.register({
      kind: 'turn',
      loopId,
      generation: toId<Generation>('1'),
      leaseSeconds: LEASE_SECONDS,
      limitSeconds: 600,
      onLost: () => void lost.push(loopId),
    });
  }

  await Promise.all(Array.from({ length: POOL_SIZE }, () => sql`select pg_sleep(${BUSY_SECONDS})`.execute(database.db)));

  const { rows } = await sql<{ expired: number; connections: number }>`
    select (select count(*)::integer from solid_loop.loops where lease_expires_at <= clock_timestamp()) as expired,
      (select count(*)::integer from pg_stat_activity
        where datname = current_database() and application_name in ('solidloop-renew', 'solidloop-listen')) as connections`.execute(
    database.db,
  );
  expect({ lost, ...rows[0] }).toEqual({ lost: [], expired: 0, connections: 2 });
  expect(renewer.size).toBe(LEASES);
  expect(logger.said('warn')).toEqual([]);
  await renewer.close();
  await listener.close();
});
