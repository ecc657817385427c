/** What chaos checks over the tables’ own invariants: each check holds for a loop that went well, and each can fail. */

import { sql } from 'kysely';
import type { JournalEntry } from '../../../src/testing/script';
import {
  findLostHookMessages,
  findLostSignals,
  findOpenWorkflows,
  findPartialAnswers,
  findUnaskedAnswers,
  findUntoldEnds,
} from '../../faults/support/chaos-checks';
import { createTestDatabase, type TestDatabase } from '../../support/database';

const LOOP_ID = '7';
const AGENT = 'hooked';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await sql`alter table solid_loop.messages drop constraint messages_tool_has_call`.execute(database.db);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`truncate solid_loop.loops cascade`.execute(database.db);
  await sql`
    insert into solid_loop.loops (id, workflow_id, task_queue, start_key, agent_name, status, generation, turn_number)
    overriding system value values (${LOOP_ID}, 'w', 'q', 'k', ${AGENT}, 'completed', 5, 3)`.execute(database.db);
  for (const [index, [role, content]] of TRANSCRIPT.entries()) await insertMessage(index + 1, role, content);
});

/** Results in the order in which they ended, two messages of people one after the other. */
const TRANSCRIPT = [
  ['user', 'go'],
  ['assistant', ''],
  ['tool', 'second'],
  ['tool', 'first'],
  ['user', 'one more thing'],
  ['user', 'and another'],
  ['assistant', 'All is done.'],
] as const;

const insertMessage = (seq: number, role: string, content: string) =>
  sql`
    insert into solid_loop.messages (loop_id, role, status, is_hidden, seq, turn_number, content)
    values (${LOOP_ID}, ${role}::solid_loop.message_role, 'success', false, ${seq}, ${seq < 5 ? 1 : 2}, ${content})`.execute(database.db);

const asked = (...messages: readonly (readonly [string, string])[]): JournalEntry =>
  ({ body: { messages: messages.map(([role, content]) => ({ role, content })) } }) as unknown as JournalEntry;

const FIRST = asked(['user', 'go']);
const SECOND = asked(
  ...([
    ['user', 'go'],
    ['assistant', ''],
    ['tool', 'first'],
    ['tool', 'second'],
    ['user', 'one more thing\n\nand another'],
  ] as const),
);

describe('R31, R32, R62: an answer was asked for with what stands before it', () => {
  it('results in call order and neighbours as one message are the same', async () => {
    expect(await findUnaskedAnswers(database.db, [FIRST, SECOND])).toEqual([]);
  });

  it.each([
    ['a message that was never sent', [FIRST, asked(['user', 'go'], ['assistant', ''], ['tool', 'first'], ['tool', 'second'])]],
    ['a message sent twice', [asked(['user', 'go\n\ngo']), SECOND]],
    ['an answer that nobody asked for', [SECOND]],
  ])('%s is found', async (_what, journal) => {
    expect(await findUnaskedAnswers(database.db, journal)).toMatchObject([{ id: 'answers-were-asked', loopId: LOOP_ID }]);
  });
});

it('R33, R48: half an answer is found', async () => {
  expect(await findPartialAnswers(database.db, ['All is done.'])).toEqual([]);
  await database.db.updateTable('messages').set({ content: 'All is' }).where('content', '=', 'All is done.').execute();
  expect(await findPartialAnswers(database.db, ['All is done.'])).toMatchObject([{ id: 'answers-are-whole', loopId: LOOP_ID }]);
});

it('R67, R69: a signal that Temporal took and the tables never heard of is found', async () => {
  const taken = [{ loopId: LOOP_ID, key: 'steer-1' }];
  expect(await findLostSignals(database.db, taken)).toMatchObject([{ id: 'signals-arrive', loopId: LOOP_ID }]);
  await database.db.insertInto('control_requests').values({ loop_id: LOOP_ID, key: 'steer-1', verb: 'steer', answer: '{}' }).execute();
  expect(await findLostSignals(database.db, taken)).toEqual([]);
});

it('R47: a hook that has run and was not heard is found', async () => {
  expect(await findLostHookMessages(database.db, AGENT)).toEqual([]);
  await database.db.updateTable('messages').set({ hooked_at: new Date() }).execute();
  expect(await findLostHookMessages(database.db, AGENT)).toMatchObject([{ id: 'hooks-are-heard', loopId: LOOP_ID }]);
});

it('R66: a workflow that ended in another way than its loop is found', async () => {
  const seen = (status: string, ...terminated: string[]) =>
    findOpenWorkflows(database.db, { statusOf: async () => status }, new Set(terminated));
  expect(await seen('COMPLETED')).toEqual([]);
  expect(await seen('CANCELLED', LOOP_ID)).toMatchObject([{ id: 'workflows-end', loopId: LOOP_ID }]);
  expect(await seen('TERMINATED')).toMatchObject([{ id: 'workflows-end', loopId: LOOP_ID }]);
  expect(await seen('TERMINATED', LOOP_ID)).toEqual([]);
});

it('R47: an end that was told under another key is found', async () => {
  const told = (key: string) => findUntoldEnds(database.db, AGENT, [{ key, tool: 'onLoopFinished', effect: 'idempotent' }]);
  expect(await told(`${LOOP_ID}-5`)).toEqual([]);
  expect(await told(`${LOOP_ID}-4`)).toMatchObject([{ id: 'ends-are-told', loopId: LOOP_ID }]);
});
