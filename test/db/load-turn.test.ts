/** The snapshot of fence and transcript, and the shell. */

import { commitTurn } from '../../src/db/turns/commit-turn';
import { loadTurn } from '../../src/db/turns/load-turn';
import { findMessages } from '../../src/db/repositories/messages.repository';
import { findUnhookedMessages, markHooked } from '../../src/db/loops/mark-hooked';
import { updateShell } from '../../src/db/turns/shell';
import { LostLease } from '../../src/domain/errors';
import { toId } from '../../src/domain/ids';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  acceptedCall,
  addPendingMessage,
  anyAnswer,
  claimTestTurn,
  expectNothingWritten,
  loopInTurn,
  messageRows,
  pauseTestLoop,
  rejectedCall,
} from '../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

async function loopInSecondTurn(calls = [rejectedCall('find'), rejectedCall('read', { argumentsRaw: '{"b":  2}' })]) {
  const first = await loopInTurn(test.db);
  await commitTurn(test.db, {
    ...first,
    answer: anyAnswer({ content: null, reasoningContent: 'hm', calls, providerExtras: { signature: 's' } }),
  });
  const { generation, shellId } = await claimTestTurn(test.db, first.loopId, { turnNumber: 2 });
  return { loopId: first.loopId, turnNumber: 2, generation, shellId };
}

describe('loadTurn', () => {
  it('R31, R32: gives the visible transcript in order, each call with its message', async () => {
    const turn = await loopInSecondTurn();
    await addPendingMessage(test.db, turn.loopId);
    const transcript = await loadTurn(test.db, turn);
    expect(transcript.map((message) => [message.role, message.content])).toEqual([
      ['user', 'Find the book'],
      ['assistant', null],
      ['tool', 'not JSON'],
      ['tool', 'not JSON'],
    ]);
    const [, assistant, ...answers] = transcript;
    expect(assistant).toMatchObject({ reasoningContent: 'hm', providerExtras: { signature: 's' }, metadata: { finish_reason: 'stop' } });
    expect(answers.map((message) => message.toolCallRef)).toEqual(assistant?.toolCalls.map((call) => call.id));
    expect(answers.map((message) => message.toolCallProviderId)).toEqual(['call_find', 'call_read']);
    expect(Math.abs(Date.now() - (assistant?.createdAt.getTime() ?? 0))).toBeLessThan(60_000);
  });

  it('P77: arguments are replayed as they were written, or as an empty object where they are no JSON object', async () => {
    const calls = ['{"b":  2}', '{"a": ', '[1]', '"text"', '', '{}'].map((argumentsRaw, index) =>
      rejectedCall(`t${index}`, { argumentsRaw }),
    );
    const transcript = await loadTurn(test.db, await loopInSecondTurn(calls));
    expect(transcript[1]?.toolCalls.map((call) => call.arguments)).toEqual(['{"b":  2}', '{}', '{}', '{}', '{}', '{}']);
  });

  it('R31: whoever does not hold the turn reads nothing', async () => {
    const { shellId: _, ...turn } = await loopInSecondTurn();
    await expect(loadTurn(test.db, { ...turn, generation: toId('1') })).rejects.toBeInstanceOf(LostLease);
    await expect(loadTurn(test.db, { ...turn, turnNumber: 1 })).rejects.toBeInstanceOf(LostLease);
    await pauseTestLoop(test.db, turn.loopId);
    await expect(loadTurn(test.db, turn)).rejects.toBeInstanceOf(LostLease);
  });

  it('R3, R31: the generation of a tool phase is no turn', async () => {
    const first = await loopInTurn(test.db);
    await commitTurn(test.db, { ...first, answer: anyAnswer({ calls: [acceptedCall('find')] }) });
    await expect(loadTurn(test.db, { ...first, turnNumber: 2 })).rejects.toBeInstanceOf(LostLease);
  });
});

describe('the shell', () => {
  it('R33: is filled while its turn is in flight, and stays hidden', async () => {
    const { loopId, generation, shellId } = await loopInTurn(test.db);
    const shell = { loopId, generation, shellId: shellId! };
    expect(await updateShell(test.db, { ...shell, content: 'Once\0', reasoning: 'think' })).toBe(true);
    expect(await messageRows(test.db, loopId)).toMatchObject([
      {},
      { content: 'Once\uFFFD', reasoning_content: 'think', is_hidden: true, status: 'processing' },
    ]);
  });

  it('R33, R4: is left alone once the turn was committed, or taken over', async () => {
    const committed = await loopInTurn(test.db);
    await commitTurn(test.db, { ...committed, answer: anyAnswer() });
    const taken = await loopInTurn(test.db);
    await claimTestTurn(test.db, taken.loopId);
    for (const { loopId, generation, shellId } of [committed, taken]) {
      const late = () => updateShell(test.db, { loopId, generation, shellId: shellId!, content: 'late', reasoning: '' });
      expect(await expectNothingWritten(test.db, late)).toBe(false);
    }
  });
});

describe('hooks', () => {
  it('R47: every canonical message is found until it is marked, and only those', async () => {
    const turn = await loopInSecondTurn();
    await addPendingMessage(test.db, turn.loopId);
    const unhooked = await findUnhookedMessages(test.db, turn.loopId);
    expect(unhooked.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'tool']);
    await markHooked(
      test.db,
      unhooked.slice(0, 3).map((message) => message.id),
    );
    expect((await findUnhookedMessages(test.db, turn.loopId)).map((message) => message.id)).toEqual([unhooked[3]?.id]);
  });

  it('R47: a second mark keeps the first time', async () => {
    const { loopId } = await loopInTurn(test.db);
    const [message] = await findUnhookedMessages(test.db, loopId);
    await markHooked(test.db, [message!.id]);
    const [before] = await messageRows(test.db, loopId);
    await markHooked(test.db, [message!.id]);
    await markHooked(test.db, []);
    expect((await messageRows(test.db, loopId))[0]?.hooked_at).toEqual(before?.hooked_at);
    expect(before?.hooked_at).toBeInstanceOf(Date);
  });

  it('R32, R69: hidden messages are read by people only', async () => {
    const turn = await loopInSecondTurn();
    const pending = await addPendingMessage(test.db, turn.loopId);
    const all = await findMessages(test.db, { loopId: turn.loopId, withHidden: true });
    expect(all.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'user']);
    expect(all.at(-1)).toMatchObject({ id: pending, status: 'pending', seq: null });
    expect(await findMessages(test.db, { loopId: turn.loopId })).toHaveLength(4);
  });
});
