/** What an error of the database means. */

import { sql } from 'kysely';
import { createDatabase } from '../../src/db/database';
import { lockLoop } from '../../src/db/repositories/loops.repository';
import { inTransaction, isUniqueViolation, namingUnavailable } from '../../src/db/transaction';
import { LostLease } from '../../src/domain/errors';
import { startTcpProxy } from '../../src/testing/faults/tcp-proxy';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { eventRows, loopRow, openTestLoop } from '../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase({ onIdleError: () => undefined });
});
afterAll(() => test.drop());

const unavailable = { code: 'DatabaseUnavailable', cause: expect.anything() as unknown };

describe('inTransaction', () => {
  it('R24: a connection that ends before the answer of COMMIT is retryable, never a failure of the step', async () => {
    const loopId = await openTestLoop(test.db);
    const cut = inTransaction(test.db, async (trx) => {
      await trx.updateTable('loops').set({ title: 'cut' }).where('id', '=', loopId).execute();
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(test.db);
    });
    await expect(cut).rejects.toMatchObject(unavailable);
    expect(await loopRow(test.db, loopId)).toMatchObject({ title: null });
  });

  it('R24: a lock that is not got in time, and a statement that takes too long, are retryable', async () => {
    const loopId = await openTestLoop(test.db);
    await inTransaction(test.db, async (trx) => {
      await lockLoop(trx, loopId);
      const waiting = inTransaction(test.db, async (other) => {
        await sql`set local lock_timeout = '20ms'`.execute(other);
        await lockLoop(other, loopId);
      });
      await expect(waiting).rejects.toMatchObject(unavailable);
    });
    const slow = inTransaction(test.db, async (trx) => {
      await sql`set local statement_timeout = '20ms'`.execute(trx);
      await sql`select pg_sleep(5)`.execute(trx);
    });
    await expect(slow).rejects.toMatchObject(unavailable);
  });

  it('R24: a deadlock is retryable for the one that lost it', async () => {
    const [a, b] = [await openTestLoop(test.db), await openTestLoop(test.db)];
    const barrier = { arrived: 0, open: (): void => undefined };
    const bothHold = new Promise<void>((resolve) => (barrier.open = resolve));
    const lockBoth = (first: typeof a, second: typeof a) =>
      inTransaction(test.db, async (trx) => {
        await lockLoop(trx, first);
        if (++barrier.arrived === 2) barrier.open();
        await bothHold;
        await lockLoop(trx, second);
      });
    const results = await Promise.allSettled([lockBoth(a, b), lockBoth(b, a)]);
    expect(results.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results.find((result) => result.status === 'rejected')).toMatchObject({ reason: unavailable });
  });

  it('R24: a pool that gives no connection in time, and a server that is not there, are retryable', async () => {
    const small = createDatabase({ connectionString: test.url, poolSize: 1, poolTimeoutSeconds: 0.1, onIdleError: () => undefined });
    await inTransaction(small, async () => {
      await expect(inTransaction(small, async (trx) => sql`select 1`.execute(trx))).rejects.toMatchObject(unavailable);
    });
    await small.destroy();
    const nowhere = createDatabase({ connectionString: 'postgresql://nobody@127.0.0.1:1/none', onIdleError: () => undefined });
    await expect(namingUnavailable(() => sql`select 1`.execute(nowhere))).rejects.toMatchObject(unavailable);
    await nowhere.destroy();
  });

  it('R24: a server that answers no more is retryable after a while, and its connection is not used again', async () => {
    const { hostname, port } = new URL(test.url);
    const proxy = await startTcpProxy({ target: { host: hostname, port: Number(port) } });
    const url = new URL(test.url);
    url.host = `${proxy.host}:${proxy.port}`;
    const one = createDatabase({ connectionString: url.href, poolSize: 1, answerTimeoutSeconds: 0.3, onIdleError: () => undefined });
    const loopId = await openTestLoop(one);
    await expect(
      inTransaction(one, async (trx) => {
        proxy.hold();
        await lockLoop(trx, loopId);
      }),
    ).rejects.toMatchObject(unavailable);
    proxy.heal();
    expect(await loopRow(one, loopId)).toMatchObject({ status: 'queued' });
    await one.destroy();
    await proxy.close();
  });

  it('R4: what it threw comes out as it was, and nothing was written', async () => {
    const loopId = await openTestLoop(test.db);
    const lost = inTransaction(test.db, async (trx) => {
      await trx.insertInto('events').values({ loop_id: loopId, kind: 'x' }).execute();
      throw new LostLease('it');
    });
    await expect(lost).rejects.toBeInstanceOf(LostLease);
    expect(await eventRows(test.db, loopId)).toEqual([]);
  });

  it('R24: what the database decided is no matter of availability', async () => {
    const loopId = await openTestLoop(test.db);
    const insertTwice = inTransaction(test.db, async (trx) => {
      for (const kind of ['once', 'twice']) {
        await trx.insertInto('control_requests').values({ loop_id: loopId, key: 'k', verb: kind, answer: '{}' }).execute();
      }
    });
    const error = await insertTwice.catch((thrown: unknown) => thrown);
    expect(isUniqueViolation(error)).toBe(true);
    expect(isUniqueViolation(error, 'control_requests_pkey')).toBe(true);
    expect(isUniqueViolation(error, 'messages_one_answer')).toBe(false);
  });

  it.each(['select * from solid_loop.nowhere', 'select nothing from solid_loop.loops'])(
    'R24: tables that do not fit are waited for, never a failure of the step: %s',
    async (statement) => {
      const missing = inTransaction(test.db, (trx) => sql.raw(statement).execute(trx));
      await expect(missing).rejects.toMatchObject({ code: 'SchemaMismatch', cause: expect.anything() as unknown });
    },
  );
});
