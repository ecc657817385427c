import fc from 'fast-check';
import { sql } from 'kysely';
import { type EventId, type LoopId, toId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/loop';
import { pruneWire } from '../../../src/db/wire/prune-wire';
import { rebuildRequest } from '../../../src/events/rebuild-request';
import { createRedactor, REDACTED } from '../../../src/events/redact';
import { ERROR_BODY_LIMIT_CHARS, WireLog } from '../../../src/events/wire-recorder';
import type { WireRequest } from '../../../src/domain/wire';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let database: TestDatabase;
const warnings: unknown[] = [];
const logger = { warn: (...told: unknown[]) => void warnings.push(told) };

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  warnings.length = 0;
});

let loops = 0;
async function insertLoop(): Promise<LoopId> {
  loops += 1;
  const key = `wire-${loops}`;
  const row = await database.db
    .insertInto('loops')
    .values({ workflow_id: key, start_key: key, task_queue: 'solidloop', agent_name: 'librarian' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return toId<LoopId>(row.id);
}

const createWireLog = (secrets: readonly string[] = []) => new WireLog({ db: database.db, redactor: createRedactor(secrets), logger });

function request(parameters: JsonObject, messages: readonly unknown[], more: Partial<WireRequest> = {}): WireRequest {
  return {
    kind: 'llm-request',
    name: 'gpt-5',
    method: 'POST',
    url: 'https://host/v1/chat/completions',
    headers: {},
    parameters,
    messages,
    ...more,
  };
}

async function eventsOf(loopId: LoopId) {
  return database.db.selectFrom('events').selectAll().where('loop_id', '=', loopId).orderBy('id').execute();
}

async function record(log: WireLog, loopId: LoopId, parameters: JsonObject, messages: readonly unknown[]): Promise<EventId> {
  await log.recorderFor({ loopId }).start(request(parameters, messages));
  return toId<EventId>((await eventsOf(loopId)).at(-1)?.id ?? '0');
}

const turnMessages = (turns: number) =>
  Array.from({ length: 2 * turns + 1 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `message ${String(index).padStart(6, '0')} `.padEnd(500, 'x'),
  }));

test('R43: an event is there before the call ends, and is completed after it', async () => {
  const loopId = await insertLoop();
  const complete = await createWireLog()
    .recorderFor({ loopId, turnNumber: 3 })
    .start(request({ model: 'gpt-5', messages: [] }, [{ role: 'user', content: 'hello' }]));
  expect(await eventsOf(loopId)).toMatchObject([{ turn_number: 3, kind: 'llm-request', method: 'POST', status: null, completed_at: null }]);
  await complete({ status: 200, headers: { 'x-request-id': 'r1' }, response: { choices: [] }, durationSeconds: 1.25 });
  const [event] = await eventsOf(loopId);
  expect(event).toMatchObject({
    status: 200,
    duration: 1.25,
    response: { choices: [] },
    headers: { request: {}, response: { 'x-request-id': 'r1' } },
  });
  expect(event?.completed_at).toBeInstanceOf(Date);
});

test('R42, R43: no secret reaches the tables, wherever it stood', async () => {
  const loopId = await insertLoop();
  const complete = await createWireLog(['sk-known-at-start'])
    .recorderFor({ loopId })
    .start(
      request({ model: 'gpt-5', messages: [], user: 'sk-known-at-start' }, [{ role: 'user', content: 'my key is sk-of-the-header' }], {
        url: 'https://me:pass@host/v1?key=in-the-url',
        headers: { authorization: 'Bearer sk-of-the-header', 'content-type': 'application/json' },
      }),
    );
  await complete({
    status: 401,
    headers: { 'set-cookie': 'session=in-a-cookie' },
    error: 'wrong key sk-of-the-header',
    response: { error: 'sk-known-at-start' },
    durationSeconds: 0,
  });
  const rows = JSON.stringify([await eventsOf(loopId), await database.db.selectFrom('wire_messages').selectAll().execute()]);
  for (const secret of ['sk-known-at-start', 'sk-of-the-header', 'in-the-url', 'pass@', 'in-a-cookie']) expect(rows).not.toContain(secret);
  expect(rows).toContain(REDACTED);
  expect(rows).toContain('application/json');
});

test('R42: the body of an error is cut at 8,192 characters, with a note; an answer never is', async () => {
  const loopId = await insertLoop();
  const recorder = createWireLog().recorderFor({ loopId });
  const long = 'e'.repeat(10_000);
  await (
    await recorder.start(request({}, []))
  )({ status: 500, error: long, response: long, durationSeconds: 0 });
  await (
    await recorder.start(request({}, []))
  )({ status: 200, response: { text: long }, durationSeconds: 0 });
  const [failed, answered] = await eventsOf(loopId);
  expect(failed?.error).toBe(`${'e'.repeat(ERROR_BODY_LIMIT_CHARS)}… (cut: 8192 of 10000 characters)`);
  expect(JSON.stringify(failed?.response).length).toBeLessThan(8_300);
  expect(answered?.response).toEqual({ text: long });
});

test('R43: a log that cannot be written is a warning, and the call goes on', async () => {
  const complete = await createWireLog()
    .recorderFor({ loopId: toId<LoopId>('987654321') })
    .start(request({ messages: [] }, [{ role: 'user' }]));
  await expect(complete({ status: 200, durationSeconds: 1 })).resolves.toBeUndefined();
  expect(warnings).toHaveLength(1);
  expect(JSON.stringify(warnings)).toContain('987654321');
});

test('R43: bytes a turn stay the same from 20 turns to 200', async () => {
  const bytesOf = async (turns: number) => {
    const loopId = await insertLoop();
    const log = createWireLog();
    const before = await wireBytes();
    const messages = turnMessages(turns).map((message) => ({ ...message, content: `${loopId} ${message.content}` }));
    for (let turn = 1; turn <= turns; turn += 1)
      await record(log, loopId, { model: 'gpt-5', messages: [], tools: [] }, messages.slice(0, 2 * turn - 1));
    return ((await wireBytes()) - before) / turns;
  };
  const short = await bytesOf(20);
  const long = await bytesOf(200);
  expect(long / short).toBeGreaterThan(0.9);
  expect(long / short).toBeLessThan(1.1);
});

async function wireBytes(): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select coalesce((select sum(pg_column_size(e.*)) from solid_loop.events e), 0) + coalesce((select sum(pg_column_size(m.*)) from solid_loop.wire_messages m), 0) as bytes`.execute(
    database.db,
  );
  return Number(rows[0]?.bytes);
}

const jsonText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u0000', '\ud800', '“”', '\u2028'));
const message = fc.record(
  { role: fc.constantFrom('user', 'assistant', 'tool'), content: fc.oneof(jsonText, fc.constant(null)) },
  { requiredKeys: ['role'] },
);
const parameters = fc
  .tuple(
    fc.dictionary(jsonText, fc.jsonValue(), { maxKeys: 4 }),
    fc.constantFrom('messages', 'input'),
    fc.dictionary(jsonText, fc.jsonValue(), { maxKeys: 4 }),
  )
  .map(([before, field, after]) => ({ field, body: { ...without(before), [field]: [] as unknown[], ...without(after) } }));
const without = ({ messages: _messages, input: _input, ...rest }: Record<string, unknown>): Record<string, unknown> => rest;

test('R43: every request of a loop is rebuilt byte for byte, whatever was sent and whichever process wrote it', async () => {
  const step = fc.record({ parameters, keep: fc.nat({ max: 6 }), add: fc.array(message, { maxLength: 4 }), isNewProcess: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const loopId = await insertLoop();
      const sent: { readonly eventId: EventId; readonly body: string }[] = [];
      let log = createWireLog();
      let messages: unknown[] = [];
      for (const { parameters: given, keep, add, isNewProcess } of steps) {
        if (isNewProcess) log = createWireLog();
        messages = [...messages.slice(0, keep), ...add];
        const eventId = await record(log, loopId, given.body as JsonObject, messages);
        sent.push({ eventId, body: JSON.stringify({ ...given.body, [given.field]: messages }) });
      }
      expect(warnings).toEqual([]);
      for (const { eventId, body } of sent) expect(await rebuildRequest(database.db, eventId)).toBe(body);
    }),
    { numRuns: 40 },
  );
});

test('R43: a request is stored as the difference to the one before it, and each message once', async () => {
  const loopId = await insertLoop();
  const log = createWireLog();
  const messages = turnMessages(3).map((each) => ({ ...each, loopId }));
  await record(log, loopId, { messages: [] }, messages.slice(0, 3));
  await record(log, loopId, { messages: [] }, messages.slice(0, 5));
  const [first, second] = await eventsOf(loopId);
  expect(first).toMatchObject({ base_event_id: null, base_length: null });
  expect(second).toMatchObject({ base_event_id: first?.id, base_length: 3 });
  expect(second?.message_hashes).toHaveLength(2);
});

describe('deletion by reference', () => {
  const age = async (table: 'events' | 'wire_messages', where: ReturnType<typeof sql>) =>
    sql`update ${sql.table(`solid_loop.${table}`)} set created_at = clock_timestamp() - interval '10 days' where ${where}`.execute(
      database.db,
    );
  const aDayAgo = () => new Date(Date.now() - 86_400_000);

  test('R43: what is kept can still be rebuilt, what nobody refers to is gone, and the log goes on', async () => {
    const loopId = await insertLoop();
    const log = createWireLog();
    const kept = turnMessages(4).map((each) => ({ ...each, loopId }));
    const dropped = { role: 'user', content: `only in the old request of ${loopId}` };
    await record(log, loopId, { messages: [] }, [kept[0], dropped]);
    const old = await record(log, loopId, { messages: [] }, kept.slice(0, 3));
    const young = await record(log, loopId, { messages: [] }, kept.slice(0, 5));
    await age('events', sql`loop_id = ${loopId}::bigint and id <= ${old}::bigint`);
    await age('wire_messages', sql`true`);
    expect(await pruneWire(database.db, { olderThan: aDayAgo() })).toMatchObject({ events: 2 });
    expect(await rebuildRequest(database.db, young)).toBe(JSON.stringify({ messages: kept.slice(0, 5) }));
    const bodies = await database.db.selectFrom('wire_messages').select('body').execute();
    expect(bodies.map((row) => row.body)).not.toContain(JSON.stringify(dropped));
    const next = await record(log, loopId, { messages: [] }, kept.slice(0, 7));
    expect(await rebuildRequest(database.db, next)).toBe(JSON.stringify({ messages: kept.slice(0, 7) }));
    await expect(rebuildRequest(database.db, old)).rejects.toMatchObject({ code: 'LoopNotFound' });
  });

  test('R43: a base that was pruned under a running process is no loss', async () => {
    const loopId = await insertLoop();
    const log = createWireLog();
    const messages = turnMessages(2).map((each) => ({ ...each, loopId }));
    const old = await record(log, loopId, { messages: [] }, messages.slice(0, 3));
    await age('events', sql`id = ${old}::bigint`);
    await age('wire_messages', sql`true`);
    await pruneWire(database.db, { olderThan: aDayAgo() });
    const next = await record(log, loopId, { messages: [] }, messages);
    expect(await rebuildRequest(database.db, next)).toBe(JSON.stringify({ messages }));
  });
});
