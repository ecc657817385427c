/** The lease renewer on real Postgres, with a clock that the test moves. */

import { sql } from 'kysely';
import { claimToolCall } from '../../../src/db/tool-calls/claim-tool-call';
import { claimTurn } from '../../../src/db/turns/claim-turn';
import { commitTurn } from '../../../src/db/turns/commit-turn';
import type { LeaseHandle } from '../../../src/db/leases/lease-registration';
import { inTransaction } from '../../../src/db/transaction';

import { ask } from '../control/states';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import {
  acceptedCall,
  anyAnswer,
  claimCallOptions,
  claimOptions,
  claimTestTurn,
  loopInToolCall,
  loopInTurn,
  loopRow,
  openTestLoop,
  type TestCall,
  type TestTurn,
} from '../../support/loops';
import { waitUntil } from '../../support/wait-until';
import { bringDatabaseBack, createHarness, cutConnections, type RenewerHarness, takeDatabaseAway } from './harness';

const TICK_MS = 15_000;

let database: TestDatabase;
let harness: RenewerHarness;

beforeAll(async () => {
  database = await createTestDatabase({ onIdleError: () => undefined });
});
afterAll(() => database.drop());
beforeEach(async () => {
  harness = await createHarness(database);
});
afterEach(() => harness.close());

const registerTurn = ({ loopId, generation }: Pick<TestTurn, 'loopId' | 'generation'>, leaseSeconds = 600): LeaseHandle =>
  harness.renewer.register({ kind: 'turn', loopId, generation, leaseSeconds, limitSeconds: 7200, onLost: harness.onLost });

const registerCall = ({ loopId, generation, callId, claimNumber }: TestCall, isUnsafeStarted = false): LeaseHandle =>
  harness.renewer.register({
    kind: 'call',
    loopId,
    generation,
    callId,
    claimNumber,
    isUnsafeStarted,
    leaseSeconds: 600,
    limitSeconds: 600,
    onLost: harness.onLost,
  });

const secondsLeft = async (table: 'loops' | 'tool_calls', id: string): Promise<number | null> => {
  const { rows } = await sql<{ left: number | null }>`
    select extract(epoch from lease_expires_at - clock_timestamp())::float8 as left from ${sql.table(`solid_loop.${table}`)} where id = ${id}`.execute(
    database.db,
  );
  return rows[0]?.left ?? null;
};

const isRenewed = (table: 'loops' | 'tool_calls', id: string) => async (): Promise<boolean> => ((await secondsLeft(table, id)) ?? 0) > 500;

/** A tick has passed and was answered: the lease of a turn made for it was renewed. */
async function passTick(milliseconds = TICK_MS): Promise<void> {
  const witness = await loopInTurn(database.db);
  const handle = registerTurn(witness);
  harness.clock.advance(milliseconds);
  await waitUntil('a renewal', isRenewed('loops', witness.loopId));
  await waitUntil(
    'the answer to it',
    async () => harness.renewer.size >= 0 && (await database.db.selectFrom('installation').select('id').execute()).length > 0,
  );
  handle.deregister();
}

describe('renewal', () => {
  it('R14, R15, R23: a tick renews turns and calls, by the clock of the database', async () => {
    const turn = await loopInTurn(database.db);
    const call = await loopInToolCall(database.db, [acceptedCall('one')]);
    registerTurn(turn);
    registerCall(call);
    harness.clock.advance(TICK_MS);
    await waitUntil('the lease of the turn', isRenewed('loops', turn.loopId));
    await waitUntil('the lease of the call', isRenewed('tool_calls', call.callId));
    const row = await loopRow(database.db, turn.loopId);
    expect(Number(row.lease_expires_at) - Number(row.renewed_at)).toBe(600_000);
    expect(harness.lost).toEqual([]);
  });

  it.each([
    [4000, 15_000],
    [40, 10_000],
    [8, 2_000],
    [1, 1_000],
  ])('R14: a lease of %d s is renewed every %d ms, and a registration asks nothing by itself', async (leaseSeconds, tickMs) => {
    const turn = await loopInTurn(database.db);
    registerTurn(turn, leaseSeconds);
    expect(harness.clock.delays).toContain(tickMs);
    expect(await secondsLeft('loops', turn.loopId)).toBeLessThan(60);
  });

  it('R14: a shorter lease that is registered later brings the next tick forward, a longer one does not push it back', async () => {
    const [slow, quick, slower] = [await loopInTurn(database.db), await loopInTurn(database.db), await loopInTurn(database.db)];
    registerTurn(slow, 600);
    harness.clock.advance(5_000);
    registerTurn(quick, 8);
    registerTurn(slower, 4000);
    harness.clock.advance(2_000);
    await waitUntil('all leases', isRenewed('loops', slow.loopId));
  });

  it('R14: a row that another transaction holds is skipped, not waited for, and is not lost', async () => {
    const [held, free] = [await loopInTurn(database.db), await loopInTurn(database.db)];
    registerTurn(held);
    registerTurn(free);
    const planned = harness.clock.delays.length;
    await inTransaction(database.db, async (trx) => {
      await sql`select from solid_loop.loops where id = ${held.loopId} for update`.execute(trx);
      harness.clock.advance(TICK_MS);
      await waitUntil('the other lease', isRenewed('loops', free.loopId));
    });
    expect(await secondsLeft('loops', held.loopId)).toBeLessThan(61);
    await waitUntil('the plan of the next tick', () => harness.clock.delays.slice(planned).includes(TICK_MS));
    harness.clock.advance(TICK_MS);
    await waitUntil('the lease at the next tick', isRenewed('loops', held.loopId));
    expect(harness.lost).toEqual([]);
  });

  it('R20: a lease that was deregistered is renewed no more; a second time is harmless', async () => {
    const turn = await loopInTurn(database.db);
    const handle = registerTurn(turn);
    handle.deregister();
    handle.deregister();
    await passTick();
    expect(await secondsLeft('loops', turn.loopId)).toBeLessThan(61);
    expect(harness.clock.pendingTimers).toBe(0);
  });

  it('R18: a lease whose renewal the database refuses is lost alone; the others are renewed', async () => {
    const [bad, good] = [await loopInTurn(database.db), await loopInTurn(database.db)];
    const badHandle = registerTurn(bad, 1e30);
    const goodHandle = registerTurn(good);
    harness.clock.advance(TICK_MS);
    await waitUntil('the good lease', isRenewed('loops', good.loopId));
    await waitUntil('the loss of the bad one', () => badHandle.isLost);
    expect(goodHandle.isLost).toBe(false);
  });
});

describe('loss', () => {
  it('R15, R16: a lease that the commit cleared is the normal end: not lost, and never set again', async () => {
    const turn = await loopInTurn(database.db);
    const handle = registerTurn(turn);
    await commitTurn(database.db, { ...turn, answer: anyAnswer({ content: null, calls: [acceptedCall('one')] }) });
    await passTick();
    await passTick();
    expect(handle.isLost).toBe(false);
    expect((await loopRow(database.db, turn.loopId)).lease_expires_at).toBeNull();
  });

  it('R16: a turn is lost when a later attempt took it', async () => {
    const turn = await loopInTurn(database.db);
    const handle = registerTurn(turn);
    await claimTurn(database.db, claimOptions(turn.loopId));
    await waitUntil('the loss', () => handle.isLost);
    expect(harness.lost).toEqual(['fence']);
  });

  it('R16: a call is lost when its claim number is not current any more', async () => {
    const call = await loopInToolCall(database.db, [acceptedCall('one', { effect: 'read' })]);
    const handle = registerCall(call);
    await claimToolCall(database.db, claimCallOptions(call, call.callId));
    await waitUntil('the loss', () => handle.isLost);
  });

  it.each(['read', 'idempotent', 'unsafe'] as const)(
    'R16, R60: when its loop is paused, a %s call is lost unless it is a started unsafe one',
    async (effect) => {
      const call = await loopInToolCall(database.db, [acceptedCall('one', { effect })]);
      const handle = registerCall(call, effect === 'unsafe');
      await ask(database.db, call.loopId, { verb: 'pause' });
      await passTick();
      if (effect !== 'unsafe') return waitUntil('the loss', () => handle.isLost);
      await waitUntil('its renewal', isRenewed('tool_calls', call.callId));
      expect(handle.isLost).toBe(false);
      return undefined;
    },
  );

  it('R16, R75: a started unsafe call is lost once a later claim asks for its outcome', async () => {
    const call = await loopInToolCall(database.db, [acceptedCall('one', { effect: 'unsafe' })]);
    const handle = registerCall(call);
    handle.markUnsafeStarted();
    await claimToolCall(database.db, claimCallOptions(call, call.callId, { holderPatienceSeconds: 0 }));
    await waitUntil('the loss', () => handle.isLost);
  });

  it('R16: a lease on a loop that was deleted is lost', async () => {
    const turn = await loopInTurn(database.db);
    const handle = registerTurn(turn);
    await database.db.deleteFrom('loops').where('id', '=', turn.loopId).execute();
    harness.clock.advance(TICK_MS);
    await waitUntil('the loss', () => handle.isLost);
  });

  it.each(['pause', 'stop', 'freeze'] as const)('R17: %s is told to the attempt at once, without any tick', async (verb) => {
    const turn = await loopInTurn(database.db);
    const handle = registerTurn(turn);
    await ask(database.db, turn.loopId, { verb });
    await waitUntil('the loss', () => handle.isLost);
    expect(harness.lost).toEqual(['fence']);
    expect(harness.clock.monotonicMs()).toBe(1_000_000);
  });

  it('R17: an interrupt is told to the attempt at once, and other loops are not touched', async () => {
    const [turn, other] = [await loopInTurn(database.db), await loopInTurn(database.db)];
    const [handle, otherHandle] = [registerTurn(turn), registerTurn(other)];
    await ask(database.db, turn.loopId, { verb: 'steer', message: 'stop that', interrupt: true });
    await waitUntil('the loss', () => handle.isLost);
    expect(otherHandle.isLost).toBe(false);
  });

  it('R17: a pause between the claim and its arming is seen, because the registration came first', async () => {
    const loopId = await openTestLoop(database.db);
    const handle = harness.renewer.register({ kind: 'turn', loopId, leaseSeconds: 60, limitSeconds: 60, onLost: harness.onLost });
    const { generation } = await claimTestTurn(database.db, loopId);
    await ask(database.db, loopId, { verb: 'pause' });
    await noticesAreHeard();
    expect(handle.isLost).toBe(false);
    handle.arm({ generation });
    await waitUntil('the loss', () => handle.isLost);
  });

  it('R17: what an attempt throws when it hears of its loss does not keep others from hearing', async () => {
    const [turn, other] = [await loopInTurn(database.db), await loopInTurn(database.db)];
    const fails = () => {
      throw new Error('deaf');
    };
    harness.renewer.register({ kind: 'turn', ...turn, leaseSeconds: 60, limitSeconds: 60, onLost: fails });
    const handle = registerTurn(other);
    await database.db.deleteFrom('loops').where('id', 'in', [turn.loopId, other.loopId]).execute();
    harness.clock.advance(TICK_MS);
    await waitUntil('the other loss', () => handle.isLost);
    expect(harness.logger.said('error')).toEqual(['an attempt failed to hear that its lease is lost']);
  });
});

/** A notice that was sent later has come: so have the earlier ones. */
async function noticesAreHeard(): Promise<void> {
  const later = await loopInTurn(database.db);
  const handle = registerTurn(later);
  await ask(database.db, later.loopId, { verb: 'pause' });
  await waitUntil('a later notice', () => handle.isLost);
  harness.lost.length = 0;
}

describe('time limits', () => {
  it('R19: a registration past its limit and the leak grace is dropped with a warning and its attempt aborted; one within it never is', async () => {
    const [leaked, long] = [await loopInTurn(database.db), await loopInTurn(database.db)];
    const handle = harness.renewer.register({ kind: 'turn', ...leaked, leaseSeconds: 600, limitSeconds: 60, onLost: harness.onLost });
    const longHandle = registerTurn(long);
    for (let ticks = 0; ticks < 24; ticks += 1) await passTick();
    expect(handle.isLost).toBe(false);
    await passTick();
    await waitUntil('the drop', () => handle.isLost);
    expect(harness.lost).toEqual(['leaked']);
    expect(longHandle.isLost).toBe(false);
    expect(harness.logger.said('warn')).toEqual(['a lease outlived the time limit of its attempt: it is dropped and the attempt aborted']);
  });
});

describe('a database that is away', () => {
  afterEach(() => bringDatabaseBack(database.url));

  it('R18: is tried again while the lease has time left', async () => {
    const turn = await loopInTurn(database.db);
    const handle = registerTurn(turn, 600);
    await takeDatabaseAway(database.url);
    harness.clock.advance(TICK_MS);
    await waitUntil('a failed renewal', () =>
      harness.logger.said('warn').some((sentence) => sentence.startsWith('leases were not renewed')),
    );
    expect(handle.isLost).toBe(false);
    await bringDatabaseBack(database.url);
    await waitUntil('a renewal', async () => {
      harness.clock.advance(1_000);
      return isRenewed('loops', turn.loopId)();
    });
    expect(handle.isLost).toBe(false);
  });

  it('R18: counts as lost once the lease can have run out, by the clock of this process', async () => {
    const [short, long] = [await loopInTurn(database.db), await loopInTurn(database.db)];
    const handle = registerTurn(short, 20);
    const longHandle = registerTurn(long, 600);
    await takeDatabaseAway(database.url);
    harness.clock.advance(19_000);
    await waitUntil('a failed renewal', () => harness.logger.said('warn').length > 0);
    expect(handle.isLost).toBe(false);
    await waitUntil('the loss', () => {
      harness.clock.advance(500);
      return handle.isLost;
    });
    expect(harness.lost).toEqual(['expired']);
    expect(longHandle.isLost).toBe(false);
  });
});

describe('the listening connection', () => {
  it('R14, R17: after a reconnect every registered row is read again: a change that was missed is found', async () => {
    const turn = await loopInTurn(database.db);
    const handle = registerTurn(turn);
    await cutConnections(database.url, 'solidloop-listen');
    await waitUntil('the loss of the connection', () => harness.listener?.isListening === false);
    await ask(database.db, turn.loopId, { verb: 'pause' });
    await waitUntil('the loss of the lease', () => handle.isLost);
    expect(harness.listener?.isListening).toBe(true);
  });

  it('R17: without a listening connection the fences are read every 5 s, and the mode is said at the start', async () => {
    const polling = await createHarness(database, { listen: false });
    const turn = await loopInTurn(database.db);
    const handle = polling.renewer.register({ kind: 'turn', ...turn, leaseSeconds: 600, limitSeconds: 600, onLost: polling.onLost });
    await ask(database.db, turn.loopId, { verb: 'pause' });
    polling.clock.advance(4_999);
    expect(handle.isLost).toBe(false);
    polling.clock.advance(1);
    await waitUntil('the loss', () => handle.isLost);
    expect(polling.logger.entries[0]).toMatchObject({ level: 'info', fields: { mode: 'poll' } });
    expect(harness.logger.entries[0]).toMatchObject({ level: 'info', fields: { mode: 'listen' } });
    await polling.close();
  });
});

describe('the end of the renewer', () => {
  it('R18: a renewer that fails marks every lease lost, and starts again with the next one', async () => {
    const [turn, next] = [await loopInTurn(database.db), await loopInTurn(database.db)];
    const handle = registerTurn(turn);
    jest.spyOn(harness.clock, 'monotonicMs').mockImplementationOnce(() => {
      throw new Error('a fault of ours');
    });
    harness.clock.advance(TICK_MS);
    await waitUntil('the loss', () => handle.isLost);
    expect(harness.lost).toEqual(['renewer-died']);
    registerTurn(next);
    harness.clock.advance(TICK_MS);
    await waitUntil('a renewal', isRenewed('loops', next.loopId));
  });

  it('R18: a closed renewer holds nothing: leases are lost, its connections end', async () => {
    const turn = await loopInTurn(database.db);
    const handle = registerTurn(turn);
    await passTick();
    await harness.close();
    expect(handle.lostReason).toBe('renewer-died');
    expect(registerTurn(turn).isLost).toBe(true);
    expect(harness.clock.pendingTimers).toBe(0);
    await waitUntil('the end of the connections', async () => (await connectionsOf(['solidloop-renew', 'solidloop-listen'])) === 0);
  });
});

async function connectionsOf(names: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_stat_activity where datname = current_database() and application_name = any(${[...names]}::text[])`.execute(
    database.db,
  );
  return rows[0]?.count ?? 0;
}
