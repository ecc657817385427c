/** What a control request leaves behind, and what it answers to bad input. */

import { Client } from 'pg';
import { controlLoop } from '../../../src/db/control/control-loop';
import { wakeControlled } from '../../../src/db/control/wake-controlled';
import { failTurn } from '../../../src/db/turns/end-turn';
import { CHANNELS } from '../../../src/db/postgres/notify';
import { readNextStep } from '../../../src/db/loops/read-next-step';
import { SolidLoopError } from '../../../src/domain/errors';
import { MESSAGE_LIMIT_BYTES } from '../../../src/domain/input-checks';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import {
  acceptedCall,
  addPendingMessage,
  anyAnswer,
  callRow,
  claimTestCall,
  claimTestTurn,
  eventRows,
  expectNothingWritten,
  loopInToolPhase,
  loopInTurn,
  loopRow,
  messageRows,
  openTestLoop,
} from '../../support/loops';
import { commitTurn } from '../../../src/db/turns/commit-turn';
import { waitUntil } from '../../support/wait-until';
import { ask } from './states';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('pause, stop and freeze of what is in flight', () => {
  it('R4, R60: pause clears the lease, fails and hides the shell, raises the generation and says who and why', async () => {
    const { db } = database;
    const { loopId, generation } = await loopInTurn(db);
    await ask(db, loopId, { verb: 'pause', reason: 'lunch' });
    expect(await loopRow(db, loopId)).toMatchObject({ status: 'paused', lease_expires_at: null, paused_by: 'ann', paused_reason: 'lunch' });
    expect(Number((await loopRow(db, loopId)).generation)).toBe(Number(generation) + 1);
    expect((await messageRows(db, loopId)).find((row) => row.role === 'assistant')).toMatchObject({ status: 'failed', is_hidden: true });
  });

  it('R60, R66: stop releases the leases of calls, but lets a started unsafe body finish', async () => {
    const { db } = database;
    const phase = await loopInToolPhase(db, [acceptedCall('look', { effect: 'read' }), acceptedCall('pay', { effect: 'unsafe' })]);
    const [look, pay] = phase.callIds;
    await claimTestCall(db, phase, look);
    if (pay === undefined) throw new Error('two calls were asked for');
    await claimTestCall(db, phase, pay);
    await ask(db, phase.loopId, { verb: 'stop' });
    expect((await callRow(db, look)).lease_expires_at).toBeNull();
    expect((await callRow(db, pay)).lease_expires_at).not.toBeNull();
  });

  it('R60: after the step, the commit of the turn pauses, and stop outranks it', async () => {
    const { db } = database;
    const turn = await loopInTurn(db);
    await ask(db, turn.loopId, { verb: 'pause', when: 'afterStep' });
    const { answer } = await ask(db, turn.loopId, { verb: 'stop', when: 'afterStep', reason: 'enough' });
    expect(answer).toMatchObject({ ok: true, effect: 'deferred', status: 'running' });
    const commit = await commitTurn(db, { ...turn, answer: anyAnswer({ content: null, calls: [acceptedCall('one')] }) });
    expect(commit.next).toMatchObject({ kind: 'done', status: 'cancelled' });
    expect(await loopRow(db, turn.loopId)).toMatchObject({ error_message: 'enough', requested: null });
  });

  it('R60, R62: an interrupt ends the step, so that a pause asked for after it happens', async () => {
    const { db } = database;
    const { loopId } = await loopInTurn(db);
    await ask(db, loopId, { verb: 'pause', when: 'afterStep' });
    const { answer } = await ask(db, loopId, { verb: 'steer', message: 'wait', interrupt: true });
    expect(answer).toMatchObject({ effect: 'interrupted', status: 'paused', pendingMessages: 1 });
  });

  it('R9, R64: freeze keeps who, when and why; unfreeze leaves the loop paused', async () => {
    const { db } = database;
    const { loopId } = await loopInTurn(db);
    await ask(db, loopId, { verb: 'freeze', reason: 'audit' });
    const row = await loopRow(db, loopId);
    expect(row).toMatchObject({ status: 'paused', admin_frozen: true, frozen_by: 'ann', frozen_reason: 'audit' });
    expect(row.frozen_at).toBeInstanceOf(Date);
    const { answer } = await ask(db, loopId, { verb: 'resume' });
    expect(answer).toMatchObject({ ok: false, code: 'LoopFrozen', message: expect.stringContaining('was frozen by ann:') as unknown });
    expect(JSON.stringify(answer)).not.toContain('audit');
    await ask(db, loopId, { verb: 'unfreeze' });
    expect(await loopRow(db, loopId)).toMatchObject({ status: 'paused', admin_frozen: false, frozen_by: null });
  });

  it('R78: stop goes down to child loops only if asked, each in a transaction of its own', async () => {
    const { db } = database;
    const parent = await openTestLoop(db);
    const [kept, stopped] = [await openTestLoop(db), await openTestLoop(db)];
    const grandchild = await openTestLoop(db);
    await db.updateTable('loops').set({ parent_loop_id: parent }).where('id', '=', kept).execute();
    await ask(db, parent, { verb: 'stop' });
    expect((await loopRow(db, kept)).status).toBe('queued');

    await db.updateTable('loops').set({ parent_loop_id: kept }).where('id', '=', stopped).execute();
    await db.updateTable('loops').set({ parent_loop_id: stopped }).where('id', '=', grandchild).execute();
    const first = await ask(db, kept, { verb: 'stop', children: true }, 'x'.repeat(255));
    expect(first.children[0]?.children[0]?.answer).toMatchObject({ effect: 'cancelled' });
    expect((await loopRow(db, grandchild)).status).toBe('cancelled');
    const repeat = await ask(db, kept, { verb: 'stop', children: true }, 'x'.repeat(255));
    expect(repeat.children[0]).toMatchObject({ isRepeat: true });
  });
});

describe('going on', () => {
  it('R61, R65: reopen of a loop with unresolved calls goes back to its tools, and the message waits', async () => {
    const { db } = database;
    const { loopId } = await loopInToolPhase(db, [acceptedCall('one')]);
    await ask(db, loopId, { verb: 'stop' });
    const { answer } = await ask(db, loopId, { verb: 'reopen', message: 'go on' });
    expect(answer).toMatchObject({ effect: 'reopened', status: 'running' });
    expect((await readNextStep(db, loopId)).next.kind).toBe('tools');
    expect((await messageRows(db, loopId)).find((row) => row.content === 'go on')).toMatchObject({ status: 'pending', is_hidden: true });
  });

  it('R65: retry brings a failed turn back as it was: the same number, its messages in work, failures counted anew', async () => {
    const { db } = database;
    const turn = await loopInTurn(db);
    await failTurn(db, { ...turn, failure: { kind: 'failed', code: 'ProviderFinal', message: 'HTTP 401: no', durationSeconds: 1 } });
    await db.updateTable('loops').set({ turn_failures: 3, finished_notified_at: new Date() }).where('id', '=', turn.loopId).execute();
    const { answer } = await ask(db, turn.loopId, { verb: 'retry' });
    expect(answer).toMatchObject({ effect: 'retried', status: 'queued' });
    expect(await loopRow(db, turn.loopId)).toMatchObject({ turn_number: 1, turn_failures: 0, finished_notified_at: null });
    expect((await messageRows(db, turn.loopId))[0]).toMatchObject({ role: 'user', status: 'processing', error_message: null });
    await claimTestTurn(db, turn.loopId);
  });

  it('R45: setLimits replaces the limits that it names and leaves the others', async () => {
    const { db } = database;
    const loopId = await openTestLoop(db, { input: { limits: { steps: 3, costUsd: '1.50' } } });
    await ask(db, loopId, { verb: 'setLimits', limits: { steps: 9 } });
    expect((await loopRow(db, loopId)).limits).toEqual({ steps: 9, costUsd: '1.50' });
  });
});

describe('steering', () => {
  it('R7, R62: messages wait hidden and without a place, and are delivered in order by the next claim', async () => {
    const { db } = database;
    const turn = await loopInTurn(db);
    for (const message of ['one', 'two', 'three']) await ask(db, turn.loopId, { verb: 'steer', message });
    expect((await messageRows(db, turn.loopId)).filter((row) => row.status === 'pending').map((row) => row.seq)).toEqual([
      null,
      null,
      null,
    ]);
    const commit = await commitTurn(db, { ...turn, answer: anyAnswer() });
    expect(commit.next).toMatchObject({ kind: 'turn', turnNumber: 2 });
    await claimTestTurn(db, turn.loopId, { turnNumber: 2 });
    const delivered = (await messageRows(db, turn.loopId)).filter((row) => row.kind === 'steering');
    expect(delivered.map((row) => row.content)).toEqual(['one', 'two', 'three']);
    expect(delivered.every((row) => row.status === 'processing' && !row.is_hidden)).toBe(true);
  });

  it('R62: a message can be edited and withdrawn until it is delivered; then each is a SteeringError', async () => {
    const { db } = database;
    const loopId = await openTestLoop(db);
    const messageIdOf = async (message: string) => {
      const { answer } = await ask(db, loopId, { verb: 'steer', message });
      if (!answer.ok || answer.messageId === undefined) throw new Error('the message was not kept');
      return answer.messageId;
    };
    const [kept, withdrawn] = [await messageIdOf('frist'), await messageIdOf('never')];
    await ask(db, loopId, { verb: 'editMessage', messageId: kept, message: 'first' });
    await ask(db, loopId, { verb: 'withdrawMessage', messageId: withdrawn });
    expect((await ask(db, loopId, { verb: 'withdrawMessage', messageId: withdrawn })).answer).toMatchObject({
      ok: true,
      effect: 'unchanged',
    });
    expect((await ask(db, loopId, { verb: 'editMessage', messageId: withdrawn, message: 'no' })).answer).toMatchObject({
      code: 'SteeringError',
    });
    await claimTestTurn(db, loopId);
    expect((await messageRows(db, loopId)).filter((row) => row.role === 'user' && !row.is_hidden).map((row) => row.content)).toEqual([
      'Find the book',
      'first',
    ]);
    for (const verb of ['editMessage', 'withdrawMessage'] as const) {
      const { answer } = await controlLoop(db, loopId, {
        verb,
        key: `late ${verb}`,
        messageId: kept,
        ...(verb === 'editMessage' ? { message: 'late' } : {}),
      });
      expect(answer).toMatchObject({ ok: false, code: 'SteeringError', message: expect.stringContaining('delivered') as string });
    }
  });

  it('R62: the first message of a loop and messages of other loops cannot be changed', async () => {
    const { db } = database;
    const [loopId, other] = [await openTestLoop(db), await openTestLoop(db)];
    const [first] = await messageRows(db, loopId);
    const foreign = await addPendingMessage(db, other);
    for (const messageId of [first?.id ?? '', foreign]) {
      const { answer } = await ask(db, loopId, { verb: 'withdrawMessage', messageId });
      expect(answer).toMatchObject({ ok: false, code: 'SteeringError' });
    }
  });

  it('R62: messages that wait when the loop is stopped are reported, and delivered on reopen', async () => {
    const { db } = database;
    const { loopId } = await loopInTurn(db);
    await ask(db, loopId, { verb: 'steer', message: 'waiting' });
    const { answer } = await ask(db, loopId, { verb: 'stop' });
    expect(answer).toMatchObject({ effect: 'cancelled', pendingMessages: 1 });
    await ask(db, loopId, { verb: 'reopen', message: 'again' });
    await claimTestTurn(db, loopId);
    const visible = (await messageRows(db, loopId)).filter((row) => row.role === 'user' && !row.is_hidden);
    expect(visible.map((row) => row.content)).toEqual(['Find the book', 'waiting', 'again']);
  });
});

describe('hiding messages', () => {
  it('R65: an assistant message with calls and its tool messages go together, whichever is named', async () => {
    const { db } = database;
    const { loopId } = await loopInToolPhase(db, [acceptedCall('one')]);
    const [, assistant] = await messageRows(db, loopId);
    if (assistant === undefined) throw new Error('there is no assistant message');
    expect((await ask(db, loopId, { verb: 'hideMessage', messageId: assistant.id })).answer).toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining('not answered') as string,
    });
    const call = await db.selectFrom('tool_calls').selectAll().where('loop_id', '=', loopId).executeTakeFirstOrThrow();
    const tool = await db
      .insertInto('messages')
      .values({
        loop_id: loopId,
        role: 'tool',
        status: 'success',
        seq: 3,
        content: 'done',
        tool_call_ref: call.id,
        tool_call_id: call.tool_call_id,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await ask(db, loopId, { verb: 'hideMessage', messageId: tool.id });
    const hidden = () => messageRows(db, loopId).then((rows) => rows.filter((row) => row.is_hidden).map((row) => row.id));
    expect(await hidden()).toEqual([assistant.id, tool.id]);
    await ask(db, loopId, { verb: 'showMessage', messageId: assistant.id });
    expect(await hidden()).toEqual([]);
  });

  it('R33, R65: the partial text of a turn that ended and a message that waits are never shown', async () => {
    const { db } = database;
    const { loopId, shellId } = await loopInTurn(db);
    await ask(db, loopId, { verb: 'pause' });
    const waiting = await addPendingMessage(db, loopId);
    for (const messageId of [shellId ?? '', waiting]) {
      expect((await ask(db, loopId, { verb: 'showMessage', messageId })).answer).toMatchObject({ ok: false, code: 'InvalidInput' });
    }
  });
});

describe('the transaction of a request', () => {
  it('R67: sets the wake that is due, and the next reading of the tables clears it', async () => {
    const { db } = database;
    const loopId = await openTestLoop(db);
    const { wake, loop } = await ask(db, loopId, { verb: 'pause' });
    expect({ wake, loop }).toMatchObject({ wake: true, loop: { id: loopId, taskQueue: 'solidloop', agentName: 'librarian' } });
    expect((await loopRow(db, loopId)).wake_due_at).not.toBeNull();
    await readNextStep(db, loopId);
    expect((await loopRow(db, loopId)).wake_due_at).toBeNull();
  });

  it('R67: a repeat asks for the wake again while nobody has read, and no more after that', async () => {
    const { db } = database;
    const loopId = await openTestLoop(db);
    await ask(db, loopId, { verb: 'pause' }, 'died before the wake');
    expect((await ask(db, loopId, { verb: 'pause' }, 'died before the wake')).wake).toBe(true);
    await readNextStep(db, loopId);
    expect((await ask(db, loopId, { verb: 'pause' }, 'died before the wake')).wake).toBe(false);
  });

  it('R67: where Temporal cannot be asked the wake stays due, and the caller is told', async () => {
    const { db } = database;
    const outcome = await ask(db, await openTestLoop(db), { verb: 'pause' });
    const away = { wake: () => Promise.reject(new SolidLoopError('TemporalUnavailable', 'no answer')) };
    expect(await wakeControlled(away, outcome)).toBe(false);
    const woken: string[] = [];
    expect(await wakeControlled({ wake: async (loop) => void woken.push(loop.workflowId) }, outcome)).toBe(true);
    expect(woken).toEqual([outcome.loop.workflowId]);
  });

  it('R60, R66: tells the holders on commit, by the id of the loop, and only of what they must hear', async () => {
    const { db, url } = database;
    const heard: string[] = [];
    const client = new Client({ connectionString: url });
    await client.connect();
    client.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await client.query(`listen ${CHANNELS.control}`);
    const { loopId } = await loopInTurn(db);
    await ask(db, loopId, { verb: 'steer', message: 'quiet' });
    await ask(db, loopId, { verb: 'setLimits', limits: { steps: 5 } });
    await ask(db, loopId, { verb: 'stop' });
    await waitUntil('the notice', () => heard.length > 0);
    await client.query('select 1');
    expect(heard).toEqual([loopId]);
    await client.end();
  });

  it('R74: of the same request sent many times at once, one is done', async () => {
    const { db } = database;
    const { loopId } = await loopInTurn(db);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => ask(db, loopId, { verb: 'steer', message: 'once' }, 'same')));
    for (const { answer } of outcomes) expect(answer).toEqual(outcomes[0]?.answer);
    expect(outcomes.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1);
    expect((await messageRows(db, loopId)).filter((row) => row.content === 'once')).toHaveLength(1);
  });

  it('R74: a repeat of an older pause does not undo a resume', async () => {
    const { db } = database;
    const loopId = await openTestLoop(db);
    await ask(db, loopId, { verb: 'pause' }, 'old pause');
    await ask(db, loopId, { verb: 'resume' });
    await ask(db, loopId, { verb: 'pause' }, 'old pause');
    expect((await loopRow(db, loopId)).status).toBe('queued');
  });
});

describe('bad input', () => {
  const bad: readonly (readonly [string, object, string])[] = [
    ['an empty message', { verb: 'steer', key: 'k1', message: ' \n' }, 'message'],
    ['a message over 1 MB', { verb: 'steer', key: 'k2', message: 'x'.repeat(MESSAGE_LIMIT_BYTES + 1) }, 'message'],
    ['an unknown field', { verb: 'pause', key: 'k3', untill: 'tomorrow' }, 'untill'],
    ['a message id that is none', { verb: 'withdrawMessage', key: 'k4', messageId: '1; drop' }, 'messageId'],
    ['limits that are none', { verb: 'setLimits', key: 'k5', limits: { steps: -1 } }, 'limits.steps'],
    ['no verb at all', { key: 'k6' }, 'verb'],
    ['an unknown verb', { verb: 'explode', key: 'k7' }, 'verb'],
  ];

  it.each(bad)('R69, R74: %s is a stored answer and an event that name the field', async (_name, request, field) => {
    const { db } = database;
    const loopId = await openTestLoop(db);
    const first = await controlLoop(db, loopId, { ...request });
    expect(first.answer).toMatchObject({
      ok: false,
      code: 'InvalidInput',
      status: 'queued',
      message: expect.stringContaining(field) as string,
    });
    expect((await controlLoop(db, loopId, { ...request })).answer).toEqual(first.answer);
    expect(await eventRows(db, loopId)).toHaveLength(1);
    expect((await eventRows(db, loopId))[0]?.error).toContain(field);
  });

  it.each(['', 'x'.repeat(256), 7, undefined])('R69: a key that is none (%p) is refused, and an event says so', async (key) => {
    const { db } = database;
    const loopId = await openTestLoop(db);
    const { answer } = await controlLoop(db, loopId, { verb: 'pause', key });
    expect(answer).toMatchObject({ ok: false, verb: 'pause', code: 'InvalidInput' });
    expect(await eventRows(db, loopId)).toHaveLength(1);
    expect((await loopRow(db, loopId)).status).toBe('queued');
  });

  it.each(['999999', 'seven', '', '99999999999999999999'])(
    'R74: control of loop %p, which is not there, writes nothing',
    async (loopId) => {
      const { db } = database;
      const error = await expectNothingWritten(db, () => controlLoop(db, loopId, { verb: 'stop', key: 'k' }));
      expect(error).toMatchObject({ code: 'LoopNotFound' });
    },
  );

  it('R62: text with NUL and lone surrogates is kept as far as Postgres can', async () => {
    const { db } = database;
    const loopId = await openTestLoop(db);
    const { answer } = await ask(db, loopId, { verb: 'steer', message: 'a\u0000b\ud800c' });
    expect(answer).toMatchObject({ ok: true });
    expect((await messageRows(db, loopId)).at(-1)?.content).toBe('a\ufffdb\ufffdc');
  });
});
