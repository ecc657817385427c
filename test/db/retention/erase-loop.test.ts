/** A loop is erased with everything that is its own, and nothing that another loop needs. */

import { sql } from 'kysely';
import { eraseLoop } from '../../../src/db/loops/erase-loop';
import { type EventId, type LoopId, toId } from '../../../src/domain/ids';
import { rebuildRequest } from '../../../src/events/rebuild-request';
import { createRedactor } from '../../../src/events/redact';
import { WireLog } from '../../../src/events/wire-recorder';
import { silentLogger } from '../../../src/util/logger';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { acceptedCall, expectNothingWritten, loopInToolCall, loopRow, openTestLoop, putAtRest } from '../../support/loops';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db.deleteFrom('loops').execute();
  await database.db.deleteFrom('wire_messages').execute();
});

const SHARED = { role: 'system', content: 'You are a librarian.' };

async function recordRequest(loopId: LoopId, content: string): Promise<EventId> {
  const log = new WireLog({ db: database.db, redactor: createRedactor(), logger: silentLogger });
  const messages = [SHARED, { role: 'user', content }];
  await log.recorderFor({ loopId }).start({
    kind: 'llm-request',
    name: 'gpt-5',
    method: 'POST',
    url: 'http://host/v1',
    headers: {},
    parameters: { messages: [] },
    messages,
  });
  const row = await database.db
    .selectFrom('events')
    .select('id')
    .where('loop_id', '=', loopId)
    .where('kind', '=', 'llm-request')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return toId<EventId>(row.id);
}

/** Every row of every table in which the text, or the loop's id, still is. */
async function traces(loopId: LoopId, text: string): Promise<Readonly<Record<string, number>>> {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*)::int from solid_loop.loops where id = ${loopId}) as loops,
      (select count(*)::int from solid_loop.messages where loop_id = ${loopId}) as messages,
      (select count(*)::int from solid_loop.tool_calls where loop_id = ${loopId}) as calls,
      (select count(*)::int from solid_loop.events where loop_id = ${loopId}) as events,
      (select count(*)::int from solid_loop.live_parts where loop_id = ${loopId}) as parts,
      (select count(*)::int from solid_loop.wire_messages where body like ${`%${text}%`}) as texts`.execute(database.db);
  return rows[0] ?? {};
}

async function fullLoop(): Promise<LoopId> {
  const { loopId } = await loopInToolCall(database.db, [acceptedCall('add')]);
  await recordRequest(loopId, 'the marmalade question');
  await database.db.insertInto('live_parts').values({ loop_id: loopId, generation: '1', offset: 0, parts: '[]' }).execute();
  return loopId;
}

it('counts first, and deletes all rows of an ended loop, its own messages of the wire log among them', async () => {
  const loopId = await fullLoop();
  await putAtRest(database.db, loopId, { status: 'cancelled' });
  const counted = await expectNothingWritten(database.db, () => eraseLoop(database.db, loopId, { dryRun: true }));
  const rows = { messages: 2, toolCalls: 1, events: 1, wireMessages: 2, liveParts: 1, controlRequests: 0, mcpSessions: 0 };
  expect(counted).toMatchObject({ loopId, status: 'cancelled', rows });
  expect(await eraseLoop(database.db, loopId, { dryRun: false })).toMatchObject({ rows });
  expect(await traces(loopId, 'marmalade')).toEqual({ loops: 0, messages: 0, calls: 0, events: 0, parts: 0, texts: 0 });
});

it('keeps messages that another loop sent too, and children as loops of their own', async () => {
  const loopId = await fullLoop();
  const other = await openTestLoop(database.db);
  const request = await recordRequest(other, 'another question');
  await database.db.updateTable('loops').set({ parent_loop_id: loopId }).where('id', '=', other).execute();
  await putAtRest(database.db, loopId, { status: 'completed' });
  expect(await eraseLoop(database.db, loopId, { dryRun: false })).toMatchObject({ rows: { wireMessages: 1 } });
  expect(JSON.parse((await rebuildRequest(database.db, request)) ?? '')).toEqual({
    messages: [SHARED, { role: 'user', content: 'another question' }],
  });
  expect((await loopRow(database.db, other)).parent_loop_id).toBeNull();
});

it('refuses a live loop, and an unknown one, by name', async () => {
  const loopId = await openTestLoop(database.db);
  const refused = await expectNothingWritten(database.db, () => eraseLoop(database.db, loopId, { dryRun: false }));
  expect(refused).toMatchObject({ code: 'LoopNotTerminal', message: expect.stringContaining('queued') as unknown });
  await expect(eraseLoop(database.db, toId('999999'), { dryRun: false })).rejects.toMatchObject({ code: 'LoopNotFound' });
});

it('two loops that share messages and are erased, and one that is written, at the same time: what is kept can be rebuilt', async () => {
  const loops = await Promise.all(Array.from({ length: 6 }, async () => fullLoop()));
  for (const loopId of loops) await putAtRest(database.db, loopId, { status: 'completed' });
  const writer = await openTestLoop(database.db);
  const [requests] = await Promise.all([
    Promise.all(Array.from({ length: 12 }, (_, index) => recordRequest(writer, `question ${index}`))),
    ...loops.map((loopId) => eraseLoop(database.db, loopId, { dryRun: false })),
  ]);
  for (const request of requests) await expect(rebuildRequest(database.db, request)).resolves.toContain('librarian');
  expect(await traces(loops[0] as LoopId, 'marmalade')).toMatchObject({ loops: 0, texts: 0 });
});
