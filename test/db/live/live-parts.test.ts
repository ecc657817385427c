import { sql } from 'kysely';
import { LivePartWriter } from '../../../src/db/live/live-parts';
import { type Generation, type LoopId, toId } from '../../../src/domain/ids';
import type { LivePart } from '../../../src/domain/live-part';
import { type Clock, systemClock } from '../../../src/util/clock';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { FakeClock } from '../../support/fake-clock';
import { waitUntil } from '../../support/wait-until';
import { insertLoopRow } from './loop-rows';

let database: TestDatabase;
let writer: LivePartWriter;
let warnings: string[];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  warnings = [];
  writer = createWriter();
});
afterEach(() => writer.close());

function createWriter(clock: Clock = systemClock): LivePartWriter {
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, error: quiet, warn: (_fields: unknown, sentence: string) => void warnings.push(sentence) };
  return new LivePartWriter({ db: database.db, clock, logger });
}

const generation = (value: number) => toId<Generation>(value);
const text = (value: string): LivePart => ({ type: 'text-delta', text: value });
const rowsOf = (loopId: LoopId) =>
  database.db.selectFrom('live_parts').selectAll().where('loop_id', '=', loopId).orderBy('generation').orderBy('offset').execute();
const partsOf = async (loopId: LoopId) => (await rowsOf(loopId)).flatMap((row) => row.parts as unknown as LivePart[]);
const textOf = async (loopId: LoopId) => (await partsOf(loopId)).map((part) => ('text' in part ? part.text : `[${part.type}]`)).join('');

test('a loop that nobody watches has no rows, and whoever comes late sees its answer from the start', async () => {
  const [loopId, other] = [await insertLoopRow(database.db), await insertLoopRow(database.db, { observe_enabled: true })];
  const sink = writer.sinkFor({ loop: { id: loopId, observeEnabled: false }, generation: generation(1) });
  sink.push(text('Good '));
  writer.watch(loopId);
  writer.sinkFor({ loop: { id: other, observeEnabled: true }, generation: generation(1) }).push(text('written with the same statement'));
  await waitUntil("the other loop's parts", async () => (await rowsOf(other)).length === 1);
  expect(await rowsOf(loopId)).toEqual([]);

  await sql`update solid_loop.loops set observed_until = clock_timestamp() + interval '1 minute' where id = ${loopId}::bigint`.execute(
    database.db,
  );
  await writer.refresh();
  sink.push(text('morning'));
  await waitUntil('the whole text', async () => (await textOf(loopId)) === 'Good morning');
});

test('parts of one kind are joined, others keep their order, and each has a number of its own', async () => {
  const loopId = await insertLoopRow(database.db, { observe_enabled: true });
  const sink = writer.sinkFor({ loop: { id: loopId, observeEnabled: true }, generation: generation(4) });
  sink.push({ type: 'reasoning-delta', text: 'h' });
  sink.push({ type: 'reasoning-delta', text: 'm' });
  sink.push(text('a'));
  sink.push(text('b'));
  sink.push({ type: 'tool-start', callId: 'c1', name: 'add' });
  await waitUntil('the first parts', async () => (await rowsOf(loopId)).length === 1);
  sink.push(text('c'));
  await writer.close();
  expect(await partsOf(loopId)).toEqual([
    { type: 'reasoning-delta', text: 'hm' },
    text('ab'),
    { type: 'tool-start', callId: 'c1', name: 'add' },
    text('c'),
  ]);
  expect((await rowsOf(loopId)).map((row) => row.offset)).toEqual([0, 3]);
});

test('two processes that write for one attempt lose nothing and share no number', async () => {
  const loopId = await insertLoopRow(database.db, { observe_enabled: true });
  const other = createWriter();
  const loop = { id: loopId, observeEnabled: true };
  const sinks = [writer, other].map((each) => each.sinkFor({ loop, generation: generation(1) }));
  for (const [index, sink] of sinks.entries()) sink.push({ type: 'tool-end', callId: `c${index}`, name: 'add', isSuccess: true });
  await waitUntil('both parts', async () => (await partsOf(loopId)).length === 2);
  await other.close();
  expect((await rowsOf(loopId)).map((row) => row.offset)).toEqual([0, 1]);
});

test('half of a surrogate pair and NUL pass through as they are', async () => {
  const loopId = await insertLoopRow(database.db, { observe_enabled: true });
  const sink = writer.sinkFor({ loop: { id: loopId, observeEnabled: true }, generation: generation(1) });
  sink.push(text('\ud83d'));
  await waitUntil('the first half', async () => (await rowsOf(loopId)).length === 1);
  sink.push(text('\ude00\u0000'));
  await writer.close();
  expect(await textOf(loopId)).toBe('😀\u0000');
});

test('a newer attempt closes the sink of the older one', async () => {
  const loopId = await insertLoopRow(database.db, { observe_enabled: true });
  const loop = { id: loopId, observeEnabled: true };
  const older = writer.sinkFor({ loop, generation: generation(1) });
  const newer = writer.sinkFor({ loop, generation: generation(2) });
  older.push(text('from the dead'));
  newer.push(text('alive'));
  await writer.close();
  expect(await textOf(loopId)).toBe('alive');
});

test('a sink that is pushed to after the end does nothing', async () => {
  const loopId = await insertLoopRow(database.db, { observe_enabled: true });
  const sink = writer.sinkFor({ loop: { id: loopId, observeEnabled: true }, generation: generation(1) });
  await writer.close();
  sink.push(text('too late'));
  await writer.close();
  expect(await rowsOf(loopId)).toEqual([]);
});

test('loops that say nothing more are forgotten, and one that goes on after a long silence is shown', async () => {
  await database.db.updateTable('loops').set({ observed_until: null }).execute();
  const clock = new FakeClock();
  const patient = createWriter(clock);
  await patient.start();
  const [loopId, other] = [await insertLoopRow(database.db, { observe_enabled: true }), await insertLoopRow(database.db)];
  const sink = patient.sinkFor({ loop: { id: loopId, observeEnabled: true }, generation: generation(1) });
  const isShown = async (whole: string): Promise<boolean> => {
    clock.advance(100);
    return (await textOf(loopId)) === whole;
  };
  sink.push(text('before'));
  patient.watch(other);
  expect(patient.size).toBe(2);
  await waitUntil('the part', () => isShown('before'));
  await waitUntil('both to be forgotten', () => {
    clock.advance(30_000);
    return patient.size === 0;
  });
  sink.push(text(' and after'));
  await waitUntil('the other part', () => isShown('before and after'));
  await patient.close();
});

describe('where the table cannot be written', () => {
  const rename = (from: string, to: string) =>
    sql`alter table ${sql.table(`solid_loop.${from}`)} rename to ${sql.ref(to)}`.execute(database.db);

  test('nothing is thrown, one sentence is logged, and the parts come when it is back', async () => {
    const loopId = await insertLoopRow(database.db, { observe_enabled: true });
    await rename('live_parts', 'live_parts_away');
    const sink = writer.sinkFor({ loop: { id: loopId, observeEnabled: true }, generation: generation(1) });
    sink.push(text('kept'));
    await waitUntil('a warning', () => warnings.length > 0);
    await rename('live_parts_away', 'live_parts');
    await waitUntil('the parts after all', async () => (await textOf(loopId)) === 'kept');
    expect(warnings[0]).toBe('live parts could not be written; the transcript has the answer');
  });
});
