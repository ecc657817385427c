/** An attempt takes a turn. */

import { claimTurn } from '../../src/db/turns/claim-turn';
import { commitTurn } from '../../src/db/turns/commit-turn';
import { LostLease } from '../../src/domain/errors';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  acceptedCall,
  addPendingMessage,
  anyAnswer,
  claimOptions,
  claimTestTurn,
  expectNothingWritten,
  freezeTestLoop,
  loopInToolPhase,
  loopInTurn,
  loopRow,
  messageRows,
  openTestLoop,
  pauseTestLoop,
  putAtRest,
} from '../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const inSeconds = (row: { readonly lease_expires_at: Date | null }): number => ((row.lease_expires_at?.getTime() ?? 0) - Date.now()) / 1000;

describe('a claim', () => {
  it('R3, R10, R11: gives a new generation and a lease, and clears the error', async () => {
    const loopId = await openTestLoop(test.db);
    await test.db.updateTable('loops').set({ error_code: 'ToolFailed', error_message: 'earlier' }).where('id', '=', loopId).execute();
    const claim = await claimTestTurn(test.db, loopId, { leaseSeconds: 90, attemptScheduledMs: 5 });
    expect(claim).toMatchObject({ generation: '1', loop: { status: 'running', generation: '1', errorCode: null, errorMessage: null } });
    const row = await loopRow(test.db, loopId);
    expect(row).toMatchObject({ status: 'running', attempt_scheduled_ms: '5' });
    expect(inSeconds(row)).toBeGreaterThan(85);
    expect(inSeconds(row)).toBeLessThan(91);
  });

  it('R7, R62: delivers what waits, in order, before the shell', async () => {
    const loopId = await openTestLoop(test.db);
    await addPendingMessage(test.db, loopId, 'second');
    await addPendingMessage(test.db, loopId, 'third');
    const { shellId, generation } = await claimTestTurn(test.db, loopId);
    const delivered = { role: 'user', status: 'processing', is_hidden: false, turn_number: 1, generation };
    expect(await messageRows(test.db, loopId)).toMatchObject([
      { ...delivered, seq: 1, content: 'Find the book' },
      { ...delivered, seq: 2, content: 'second' },
      { ...delivered, seq: 3, content: 'third' },
      { id: shellId, seq: 4, role: 'assistant', status: 'processing', is_hidden: true, turn_number: 1, generation },
    ]);
  });

  it('R33: an agent that does not stream has no shell', async () => {
    const loopId = await openTestLoop(test.db);
    expect(await claimTestTurn(test.db, loopId, { withShell: false })).toMatchObject({ shellId: null });
    expect(await messageRows(test.db, loopId)).toHaveLength(1);
  });

  it('R26, R33: a later attempt takes over: the number rises, the old shell is failed and hidden, its text kept', async () => {
    const { loopId, shellId, generation } = await loopInTurn(test.db);
    await test.db.updateTable('messages').set({ content: 'Once upon' }).where('id', '=', shellId).execute();
    await addPendingMessage(test.db, loopId, 'hurry');
    const claim = await claimTestTurn(test.db, loopId);
    expect(Number(claim.generation)).toBe(Number(generation) + 1);
    expect(await messageRows(test.db, loopId)).toMatchObject([
      { content: 'Find the book', status: 'processing' },
      { id: shellId, status: 'failed', is_hidden: true, content: 'Once upon' },
      { content: 'hurry', status: 'processing', seq: 3 },
      { id: claim.shellId, status: 'processing', seq: 4 },
    ]);
  });

  it('R26: an attempt that was scheduled before the one that claimed is LostLease and writes nothing; an equal one is taken', async () => {
    const loopId = await openTestLoop(test.db);
    await claimTestTurn(test.db, loopId, { attemptScheduledMs: 1000 });
    const stale = () => claimTurn(test.db, claimOptions(loopId, { attemptScheduledMs: 999 }));
    expect(await expectNothingWritten(test.db, stale)).toBeInstanceOf(LostLease);
    expect(await claimTestTurn(test.db, loopId, { attemptScheduledMs: 1000 })).toMatchObject({ generation: '2' });
  });

  it('R26: the order of attempts holds over turns of other numbers too', async () => {
    const { loopId, generation } = await loopInTurn(test.db);
    await addPendingMessage(test.db, loopId);
    await commitTurn(test.db, { loopId, turnNumber: 1, generation, answer: anyAnswer() });
    const stale = () => claimTurn(test.db, claimOptions(loopId, { turnNumber: 2, attemptScheduledMs: 1 }));
    expect(await expectNothingWritten(test.db, stale)).toBeInstanceOf(LostLease);
  });
});

describe('a turn that is not due', () => {
  const claimAnswer = (loopId: Parameters<typeof claimOptions>[0], turnNumber = 1) =>
    expectNothingWritten(test.db, () => claimTurn(test.db, claimOptions(loopId, { turnNumber })));

  it('R25: another number than the loop’s writes nothing and answers what is next now', async () => {
    const loopId = await openTestLoop(test.db);
    expect(await claimAnswer(loopId, 2)).toMatchObject({ kind: 'answered', next: { kind: 'turn', turnNumber: 1 } });
  });

  it('R25: with unresolved calls the answer is the calls', async () => {
    const { loopId, callIds } = await loopInToolPhase(test.db, [acceptedCall('one')]);
    expect(await claimAnswer(loopId)).toMatchObject({ kind: 'answered', next: { kind: 'tools', calls: [{ id: callIds[0] }] } });
    expect(await claimAnswer(loopId, 2)).toMatchObject({ kind: 'answered', next: { kind: 'tools' } });
  });

  it('R25, R64: paused, frozen and ended loops are not claimed', async () => {
    const paused = await openTestLoop(test.db);
    await pauseTestLoop(test.db, paused);
    expect(await claimAnswer(paused)).toMatchObject({ kind: 'answered', next: { kind: 'wait', reason: 'paused' }, pausedBy: 'ann' });
    const frozen = await openTestLoop(test.db);
    await freezeTestLoop(test.db, frozen);
    expect(await claimAnswer(frozen)).toMatchObject({ kind: 'answered', next: { kind: 'wait', reason: 'frozen' } });
    const ended = await openTestLoop(test.db);
    await putAtRest(test.db, ended, { status: 'cancelled' });
    expect(await claimAnswer(ended)).toMatchObject({ kind: 'answered', next: { kind: 'done', status: 'cancelled' } });
  });

  it('R25: a turn that was committed is answered from the tables, never called again', async () => {
    const { loopId, generation } = await loopInTurn(test.db);
    await commitTurn(test.db, { loopId, turnNumber: 1, generation, answer: anyAnswer() });
    expect(await claimAnswer(loopId)).toMatchObject({ kind: 'answered', next: { kind: 'done', status: 'completed' } });
  });
});

describe('limits', () => {
  const expectFailed = async (
    loopId: Parameters<typeof claimOptions>[0],
    code: string,
    message: RegExp,
    options: Partial<Parameters<typeof claimOptions>[1]> = {},
  ) => {
    const claim = await claimTurn(test.db, claimOptions(loopId, options));
    expect(claim).toMatchObject({ kind: 'answered', next: { kind: 'done', status: 'failed' }, loop: { errorCode: code } });
    expect(claim.loop.errorMessage).toMatch(message);
    expect(await messageRows(test.db, loopId)).toMatchObject([{ status: 'pending' }]);
  };

  it('R45: steps, by the loop’s own limit or the default', async () => {
    const own = await openTestLoop(test.db, { input: { limits: { steps: 2 } } });
    await test.db.updateTable('loops').set({ step_count: 2 }).where('id', '=', own).execute();
    await expectFailed(own, 'LimitExceededError', /limits\.steps is 2, and the loop has used 2/);
    const byDefault = await openTestLoop(test.db);
    await test.db.updateTable('loops').set({ step_count: 100 }).where('id', '=', byDefault).execute();
    await expectFailed(byDefault, 'LimitExceededError', /limits\.steps is 100/);
  });

  it('R45: tokens', async () => {
    const loopId = await openTestLoop(test.db, { input: { limits: { tokens: 1000 } } });
    await test.db.updateTable('loops').set({ tokens_total: 999 }).where('id', '=', loopId).execute();
    expect(await claimTurn(test.db, claimOptions(loopId))).toMatchObject({ kind: 'claimed' });
    const over = await openTestLoop(test.db, { input: { limits: { tokens: 1000 } } });
    await test.db.updateTable('loops').set({ tokens_total: 1000 }).where('id', '=', over).execute();
    await expectFailed(over, 'LimitExceededError', /limits\.tokens is 1000, and the loop has used 1000/);
  });

  it('R6, R45: cost, exact to the tenth place, with what was thrown away', async () => {
    const cents = { cost: '0.1000000001', cost_discarded: '0.1999999998' };
    const under = await openTestLoop(test.db, { input: { limits: { costUsd: '0.3' } } });
    await test.db.updateTable('loops').set(cents).where('id', '=', under).execute();
    expect(await claimTurn(test.db, claimOptions(under))).toMatchObject({ kind: 'claimed' });
    const over = await openTestLoop(test.db, { input: { limits: { costUsd: '0.3' } } });
    await test.db
      .updateTable('loops')
      .set({ ...cents, cost_discarded: '0.1999999999' })
      .where('id', '=', over)
      .execute();
    await expectFailed(over, 'LimitExceededError', /limits\.costUsd is 0\.3, and the loop has used 0\.3000000000/);
  });

  it('R6: a limit on cost is refused where no price is known, with the model and where to give one', async () => {
    const loopId = await openTestLoop(test.db, { input: { limits: { costUsd: '2.00' } } });
    await expectFailed(loopId, 'ConfigError', /no price is known for model "gpt-test"; give model\.price/, { costIsKnowable: false });
  });

  it('R45: wall time, without the time at rest', async () => {
    const hourAgo = new Date(Date.now() - 3_600_000);
    const rested = await openTestLoop(test.db, { input: { limits: { durationSeconds: 1800 } } });
    await test.db.updateTable('loops').set({ created_at: hourAgo, paused_seconds: 2000 }).where('id', '=', rested).execute();
    expect(await claimTurn(test.db, claimOptions(rested))).toMatchObject({ kind: 'claimed' });
    const over = await openTestLoop(test.db, { input: { limits: { durationSeconds: 1800 } } });
    await test.db.updateTable('loops').set({ created_at: hourAgo }).where('id', '=', over).execute();
    await expectFailed(over, 'LimitExceededError', /limits\.durationSeconds is 1800, and the loop has used 36\d\d/);
  });
});

describe('attempts that die', () => {
  it('R46: the last lost attempt that is allowed fails the loop, with the last phase', async () => {
    const loopId = await openTestLoop(test.db);
    for (let attempt = 1; attempt <= 3; attempt++) await claimTestTurn(test.db, loopId, { lostAttemptsPerStep: 3 });
    const claim = await claimTurn(test.db, claimOptions(loopId, { lostAttemptsPerStep: 3, phase: 'streaming' }));
    expect(claim).toMatchObject({ kind: 'answered', next: { kind: 'done', status: 'failed' }, loop: { errorCode: 'TurnKeepsDying' } });
    expect(claim.loop.errorMessage).toMatch(/3 attempts of turn 1 .* in phase "streaming"/);
    expect((await messageRows(test.db, loopId)).map((row) => row.status)).toEqual(['failed', 'failed', 'failed', 'failed']);
  });

  it('R46: a phase that was heard of once is remembered', async () => {
    const { loopId } = await loopInTurn(test.db);
    await claimTestTurn(test.db, loopId, { phase: 'connecting' });
    const claim = await claimTurn(test.db, claimOptions(loopId, { lostAttemptsPerStep: 2 }));
    expect(claim.loop.errorMessage).toMatch(/in phase "connecting"/);
  });

  it('R46: a committed turn starts the count anew', async () => {
    const { loopId } = await loopInTurn(test.db);
    const { generation } = await claimTestTurn(test.db, loopId);
    expect(await loopRow(test.db, loopId)).toMatchObject({ lost_attempts: 1 });
    await addPendingMessage(test.db, loopId);
    await commitTurn(test.db, { loopId, turnNumber: 1, generation, answer: anyAnswer() });
    expect(await loopRow(test.db, loopId)).toMatchObject({ lost_attempts: 0, status: 'queued' });
  });
});
