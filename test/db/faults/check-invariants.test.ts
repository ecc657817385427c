/** Each invariant holds for a loop that went well, and each can fail: the rows are damaged in one way, and the check names it. */

import { sql } from 'kysely';
import { commitTurn } from '../../../src/db/turns/commit-turn';
import { settleToolCall } from '../../../src/db/tool-calls/respond-tool-call';
import { controlLoop } from '../../../src/db/control/control-loop';
import type { LoopId, ToolCallId } from '../../../src/domain/ids';
import { idempotencyKeyOf, NOT_RUN_TEXT } from '../../../src/domain/tool-call';
import { checkInvariants, findLedgerViolations } from '../../../src/testing/faults/check-invariants';
import type { LedgerEntry } from '../../../src/testing/faults/ledger';
import { TABLE_INVARIANTS } from '../../../src/testing/faults/table-invariants';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { acceptedCall, anyAnswer, callRow, claimTestCall, claimTestTurn, loopInToolPhase } from '../../support/loops';

/** What the database itself would refuse: the check must see it where that guard is missing. */
const DROP_GUARDS = `
  drop index solid_loop.messages_one_answer; drop index solid_loop.messages_one_result;
  alter table solid_loop.loops drop constraint loops_lease_only_running;
  alter table solid_loop.messages drop constraint messages_shell_hidden, drop constraint messages_visible_has_place;`;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await sql.raw(DROP_GUARDS).execute(database.db);
});
beforeEach(() => sql`truncate solid_loop.loops cascade`.execute(database.db));
afterAll(() => database.drop());

const USAGE = { prompt: 10, completion: 5, total: 15, promptCached: 2, reasoning: null };
const COST = { amountUsd: '0.0001000000', isKnown: true };

interface WentWell {
  readonly loopId: LoopId;
  readonly callIds: readonly ToolCallId[];
}

/** Two turns, two calls, one message between; completed. */
async function loopThatWentWell(): Promise<WentWell> {
  const { db } = database;
  const phase = await loopInToolPhase(db, [acceptedCall('post'), acceptedCall('look', { effect: 'read' })]);
  const { loopId, generation, callIds } = phase;
  await controlLoop(db, loopId, { verb: 'steer', message: 'One more thing', key: 'steer-1' });
  for (const callId of callIds) {
    const { claimNumber } = await claimTestCall(db, phase, callId);
    await settleToolCall(db, {
      callId,
      claimNumber,
      generation,
      content: 'ok',
      outcome: { result: 'ok', isSuccess: true, durationSeconds: 0.25 },
    });
  }
  const second = await claimTestTurn(db, loopId, { turnNumber: 2 });
  await commitTurn(db, { loopId, turnNumber: 2, generation: second.generation, answer: anyAnswer({ usage: USAGE, cost: COST }) });
  return { loopId, callIds };
}

const DAMAGE: Readonly<Record<string, readonly string[]>> = {
  'one-answer-a-turn': [
    `update solid_loop.messages set is_hidden = true where role = 'assistant' and turn_number = 1`,
    `update solid_loop.messages set turn_number = 2 where role = 'assistant'`,
    `update solid_loop.loops set turn_number = 2`,
  ],
  'one-result-a-call': [
    `insert into solid_loop.messages (loop_id, role, status, turn_number, seq, content, tool_call_ref) select loop_id, role, status, turn_number, 90, content, tool_call_ref from solid_loop.messages where role = 'tool' limit 1`,
    `with other as (insert into solid_loop.loops (workflow_id, task_queue, start_key, agent_name, status) values ('w', 'q', 'k', 'a', 'completed') returning id)
     update solid_loop.messages set loop_id = other.id from other where role = 'tool'`,
  ],
  'every-call-resolved': [`delete from solid_loop.messages where role = 'tool' and content = 'ok'`],
  'results-behind-their-calls': [
    `update solid_loop.messages set seq = 99 where role = 'tool' and id = (select max(id) from solid_loop.messages where role = 'tool')`,
    `update solid_loop.messages set seq = -seq where role = 'tool'`,
  ],
  'counters-are-sums': [
    `update solid_loop.loops set step_count = step_count + 1`,
    `update solid_loop.loops set tokens_prompt = tokens_prompt * 2`,
    `update solid_loop.loops set cost = cost * 2`,
    `update solid_loop.loops set duration_tools = duration_tools + 0.25`,
    `update solid_loop.loops set duration_generation = duration_generation + 1`,
  ],
  'no-partial-text': [
    `insert into solid_loop.messages (loop_id, role, status, is_hidden, seq, content) select id, 'assistant', 'failed', false, 91, 'half an ans' from solid_loop.loops`,
    `insert into solid_loop.messages (loop_id, role, status, is_hidden, content) select id, 'assistant', 'processing', true, 'half an ans' from solid_loop.loops`,
    `update solid_loop.loops set status = 'running', lease_expires_at = clock_timestamp();
     insert into solid_loop.messages (loop_id, role, status, is_hidden) select id, 'assistant', 'processing', true from solid_loop.loops, generate_series(1, 2)`,
  ],
  'nothing-held-at-rest': [
    `update solid_loop.loops set lease_expires_at = clock_timestamp()`,
    `update solid_loop.tool_calls set lease_expires_at = clock_timestamp() where effect = 'unsafe'`,
    `update solid_loop.tool_calls set lease_expires_at = clock_timestamp(), executed_at = null where effect = 'read'`,
  ],
  'messages-delivered-once': [
    `update solid_loop.messages set status = 'pending' where key = 'steer-1'`,
    `update solid_loop.messages set status = 'processing' where key = 'steer-1'`,
    `update solid_loop.messages set key = null where key = 'steer-1'`,
    `update solid_loop.messages set seq = null where key = 'steer-1'`,
  ],
  'every-loop-ends': [`update solid_loop.loops set status = 'queued'`, `update solid_loop.loops set status = 'paused'`],
};

const broken = async () => [...new Set((await checkInvariants({ databaseUrl: database.url })).map(({ id }) => id))];

describe('the check of the tables', () => {
  it('R4, R37, R55: finds nothing wrong with a loop that went well', async () => {
    await loopThatWentWell();
    expect(await broken()).toEqual([]);
  });

  it.each(Object.entries(DAMAGE).flatMap(([id, damages]) => damages.map((damage, index) => [id, index + 1, damage] as const)))(
    'R4: "%s" can fail (%i)',
    async (id, _number, damage) => {
      await loopThatWentWell();
      await sql.raw(damage).execute(database.db);
      expect(await broken()).toContain(id);
    },
  );

  it('R4: each invariant of the tables is among those that were seen to fail', () => {
    expect(TABLE_INVARIANTS.map(({ id }) => id).filter((id) => DAMAGE[id] === undefined)).toEqual([]);
  });
});

describe('the check of side effects', () => {
  const call = { loopId: '1', key: 'k1', name: 'post', effect: 'unsafe', isDone: true, isToldNotRun: false } as const;
  const entry: LedgerEntry = { key: 'k1', tool: 'post', effect: 'unsafe' };
  const ids = (...given: Parameters<typeof findLedgerViolations>) => findLedgerViolations(...given).map(({ id }) => id);

  it('R75: an unsafe effect once, and an idempotent one any number of times under its one key, are well', () => {
    expect(ids([call], [entry])).toEqual([]);
    expect(ids([{ ...call, effect: 'idempotent' }], [entry, entry])).toEqual([]);
    expect(ids([{ ...call, isDone: false }], [])).toEqual([]);
  });

  it('R75: an unsafe effect twice is not', () => {
    expect(ids([call], [entry, entry])).toEqual(['unsafe-at-most-once']);
  });

  it('R53: an effect under a key that no call has is not', () => {
    expect(ids([call], [entry, { ...entry, key: 'k2' }])).toEqual(['effects-have-a-call']);
  });

  it('R54: a checkpoint of something that was not done is not', () => {
    expect(ids([call, { ...call, key: 'k2' }], [entry])).toEqual(['checkpoints-are-true']);
  });

  it('R68, R75: an effect of which the model was told that it was not run is not, unless it only read', () => {
    expect(ids([{ ...call, isDone: false, isToldNotRun: true }], [entry])).toEqual(['not-run-is-true']);
    expect(ids([{ ...call, isDone: false, isToldNotRun: true, effect: 'idempotent' }], [entry])).toEqual(['not-run-is-true']);
    expect(ids([{ ...call, isDone: false, isToldNotRun: true, effect: 'read' }], [entry])).toEqual([]);
    expect(ids([{ ...call, isDone: false, isToldNotRun: true }], [])).toEqual([]);
  });

  it('R53, R75: reads the calls of the tables by their keys', async () => {
    const { callIds } = await loopThatWentWell();
    const { key } = await callRow(database.db, callIds[0]!);
    const posted: LedgerEntry = { key: idempotencyKeyOf(key), tool: 'post', effect: 'unsafe' };
    const check = async (entries: readonly LedgerEntry[]) =>
      (await checkInvariants({ databaseUrl: database.url, ledger: { read: () => entries } })).map(({ id }) => id);
    expect(await check([posted])).toEqual([]);
    expect(await check([posted, posted])).toEqual(['unsafe-at-most-once']);
    await database.db.updateTable('messages').set({ content: NOT_RUN_TEXT }).where('tool_call_ref', '=', callIds[0]!).execute();
    expect(await check([posted])).toEqual(['not-run-is-true']);
  });
});

describe('the check of requests', () => {
  it('R32: a request that a provider would refuse is named with its number', async () => {
    const good = { messages: [{ role: 'user', content: 'hello' }] };
    const violations = await checkInvariants({ databaseUrl: database.url, requests: [good, { messages: [] }] });
    expect(violations).toEqual([{ id: 'requests-are-valid', loopId: null, detail: 'request 2: it has no messages' }]);
  });
});
