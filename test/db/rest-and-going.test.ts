/** The one function that puts a loop at rest, and the one that takes it up again; the checks of the database beside them. */

import type { Updateable } from 'kysely';
import { Client } from 'pg';
import { claimToolCall } from '../../src/db/tool-calls/claim-tool-call';
import { claimTurn } from '../../src/db/turns/claim-turn';
import { closeLoop } from '../../src/db/loops/close-loop';
import { CONTROL_CHANNEL } from '../../src/db/loops/notify-control';
import type { Rest } from '../../src/db/loops/set-loop-at-rest';
import type { Loops } from '../../src/db/tables/generated';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  acceptedCall,
  callRows,
  claimCallOptions,
  claimOptions,
  claimTestCall,
  claimTestTurn,
  loopInToolPhase,
  loopInTurn,
  loopRow,
  messageRows,
  openTestLoop,
  pauseTestLoop,
  putAtRest,
  requestAfterStep,
  resumeTestLoop,
  unresolvedIds,
} from '../support/loops';
import { waitUntil } from '../support/wait-until';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const RESTS: readonly Rest[] = [
  { status: 'paused', by: 'ann', reason: 'lunch' },
  { status: 'completed' },
  { status: 'failed', errorCode: 'InternalError', errorMessage: 'bad luck' },
  { status: 'cancelled', errorMessage: 'enough' },
];
const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1000);

describe('a loop at rest', () => {
  it.each(RESTS)('R4, R33: $status clears the lease, raises the generation, fails and hides the shell', async (rest) => {
    const turn = await loopInTurn(test.db);
    await putAtRest(test.db, turn.loopId, rest);
    const row = await loopRow(test.db, turn.loopId);
    expect(row).toMatchObject({ status: rest.status, lease_expires_at: null });
    expect(Number(row.generation)).toBe(Number(turn.generation) + 1);
    expect(await messageRows(test.db, turn.loopId)).toMatchObject([
      { role: 'user', status: rest.status === 'failed' ? 'failed' : 'processing', is_hidden: false },
      { id: turn.shellId, status: 'failed', is_hidden: true },
    ]);
  });

  it.each(RESTS)('R4, R60: $status releases the calls’ leases, but that of a started unsafe body', async (rest) => {
    const phase = await loopInToolPhase(test.db, [
      acceptedCall('read', { effect: 'read' }),
      acceptedCall('same', { effect: 'idempotent' }),
      acceptedCall('pay'),
    ]);
    for (const callId of phase.callIds) await claimTestCall(test.db, phase, callId);
    await putAtRest(test.db, phase.loopId, rest);
    expect((await callRows(test.db, phase.loopId)).map((row) => row.lease_expires_at !== null)).toEqual([false, false, true]);
  });

  it('R1, R60: keeps who paused it and why, until it goes on', async () => {
    const loopId = await openTestLoop(test.db);
    await pauseTestLoop(test.db, loopId);
    expect(await loopRow(test.db, loopId)).toMatchObject({
      paused_by: 'ann',
      paused_reason: 'lunch',
      paused_at: expect.any(Date) as unknown,
    });
    await resumeTestLoop(test.db, loopId);
    expect(await loopRow(test.db, loopId)).toMatchObject({ status: 'queued', paused_by: null, paused_reason: null, paused_at: null });
  });

  it('R60: any terminal status clears what was asked after the step; a pause does not forget a stop', async () => {
    for (const [rest, verb, kept] of [
      [RESTS[0], 'stop', 'stop'],
      [RESTS[0], 'pause', null],
      [RESTS[1], 'stop', null],
      [RESTS[2], 'stop', null],
      [RESTS[3], 'pause', null],
    ] as const) {
      const loopId = await openTestLoop(test.db);
      await requestAfterStep(test.db, loopId, verb);
      await putAtRest(test.db, loopId, rest!);
      expect(await loopRow(test.db, loopId)).toMatchObject({ requested: kept, requested_by: kept && 'ann' });
    }
  });

  it('R45: time at rest is no wall time, paused or ended', async () => {
    const loopId = await openTestLoop(test.db);
    await pauseTestLoop(test.db, loopId);
    await test.db
      .updateTable('loops')
      .set({ status_changed_at: secondsAgo(100) })
      .where('id', '=', loopId)
      .execute();
    await putAtRest(test.db, loopId, RESTS[3]!);
    await test.db
      .updateTable('loops')
      .set({ status_changed_at: secondsAgo(50) })
      .where('id', '=', loopId)
      .execute();
    await resumeTestLoop(test.db, loopId);
    const { paused_seconds: rested } = await loopRow(test.db, loopId);
    expect(rested).toBeGreaterThan(149);
    expect(rested).toBeLessThan(160);
  });
});

describe('a loop that goes on', () => {
  it('R61: with unresolved calls it is in tool phase again under a new generation, else queued', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('a')]);
    const paused = await pauseTestLoop(test.db, phase.loopId);
    const going = await resumeTestLoop(test.db, phase.loopId);
    expect(going).toMatchObject({ status: 'running', turnNumber: phase.turnNumber });
    expect(Number(going.generation)).toBe(Number(paused.generation) + 1);
    const idle = await openTestLoop(test.db);
    await pauseTestLoop(test.db, idle);
    expect(await resumeTestLoop(test.db, idle)).toMatchObject({ status: 'queued' });
  });

  it('R65: one that had ended counts its failures anew, one that was paused does not', async () => {
    for (const [rest, failures] of [
      [RESTS[0], 3],
      [RESTS[2], 0],
    ] as const) {
      const loopId = await openTestLoop(test.db);
      await test.db.updateTable('loops').set({ turn_failures: 3, lost_attempts: 3, revivals: 3 }).where('id', '=', loopId).execute();
      await putAtRest(test.db, loopId, rest!);
      await resumeTestLoop(test.db, loopId);
      expect(await loopRow(test.db, loopId)).toMatchObject({ turn_failures: failures, lost_attempts: failures, revivals: failures });
    }
  });
});

describe('the database itself', () => {
  const setLoop = async (changes: Updateable<Loops>) => {
    const loopId = await openTestLoop(test.db);
    return test.db.updateTable('loops').set(changes).where('id', '=', loopId).execute();
  };

  it('R3: refuses a lease on a loop that is not running, and a frozen loop that is live', async () => {
    await expect(setLoop({ lease_expires_at: new Date() })).rejects.toMatchObject({ constraint: 'loops_lease_only_running' });
    await expect(setLoop({ admin_frozen: true })).rejects.toMatchObject({ constraint: 'loops_frozen_only_at_rest' });
    await setLoop({ admin_frozen: true, status: 'paused' });
  });

  it('R7: refuses a visible message without a place, two in one place, and a pending message that is no user’s', async () => {
    const loopId = await openTestLoop(test.db);
    const insert = (changes: object) =>
      test.db
        .insertInto('messages')
        .values({ loop_id: loopId, role: 'user', status: 'success', ...changes })
        .execute();
    await expect(insert({})).rejects.toMatchObject({ constraint: 'messages_visible_has_place' });
    await expect(insert({ role: 'assistant', status: 'pending', is_hidden: true })).rejects.toMatchObject({
      constraint: 'messages_pending_is_user',
    });
    await insert({ seq: 1 });
    await expect(insert({ seq: 1 })).rejects.toMatchObject({ constraint: 'messages_loop_id_seq_key' });
  });

  it('R33, R37: refuses a visible shell, and a second answer of a turn', async () => {
    const { loopId, shellId } = await loopInTurn(test.db);
    await expect(test.db.updateTable('messages').set({ is_hidden: false }).where('id', '=', shellId).execute()).rejects.toMatchObject({
      constraint: 'messages_shell_hidden',
    });
    const answer = (seq: number) =>
      test.db.insertInto('messages').values({ loop_id: loopId, role: 'assistant', status: 'success', seq, turn_number: 9 }).execute();
    await answer(8);
    await expect(answer(9)).rejects.toMatchObject({ constraint: 'messages_one_answer' });
  });

  it('R25, R55: marks a call answered, whoever writes its message, and refuses a second one', async () => {
    const phase = await loopInToolPhase(test.db, [acceptedCall('a')]);
    const respond = (seq: number) =>
      test.db
        .insertInto('messages')
        .values({ loop_id: phase.loopId, role: 'tool', status: 'success', seq, tool_call_ref: phase.callIds[0] })
        .execute();
    await respond(8);
    expect(await unresolvedIds(test.db, phase.loopId)).toEqual([]);
    await expect(respond(9)).rejects.toMatchObject({ constraint: 'messages_one_result' });
  });
});

describe('NOTIFY', () => {
  const heard: string[] = [];
  let listener: Client;
  beforeAll(async () => {
    listener = new Client({ connectionString: test.url });
    listener.on('notification', (notice) => heard.push(String(notice.payload)));
    await listener.connect();
    await listener.query(`listen ${CONTROL_CHANNEL}`);
  });
  afterAll(() => listener.end());

  const expectHeard = (loopId: string) => waitUntil(`a notice of loop ${loopId}`, () => heard.includes(loopId));

  it('R26: tells the old holder of a turn or call that was taken over, or failed; a healthy life is silent', async () => {
    const healthy = await loopInToolPhase(test.db, [acceptedCall('a')]);
    await claimTestCall(test.db, healthy, healthy.callIds[0]);
    const turn = await loopInTurn(test.db);
    await claimTurn(test.db, claimOptions(turn.loopId));
    await expectHeard(turn.loopId);
    const phase = await loopInToolPhase(test.db, [acceptedCall('a', { effect: 'read' })]);
    await claimTestCall(test.db, phase, phase.callIds[0]);
    await claimToolCall(test.db, claimCallOptions(phase, phase.callIds[0]));
    await expectHeard(phase.loopId);
    const closed = await openTestLoop(test.db);
    const { generation } = await claimTestTurn(test.db, closed);
    await closeLoop(test.db, { loopId: closed, turnNumber: 1, generation, code: 'InternalError', reason: 'x' });
    await expectHeard(closed);
    expect(heard.filter((loopId) => loopId === healthy.loopId)).toEqual([]);
  });
});
