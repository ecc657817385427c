import { sql } from 'kysely';
import { Client } from 'pg';
import { streamLoop, type StreamItem, type StreamOptions } from '../../../src/client/stream';
import type { Database } from '../../../src/db/database';
import { LivePartWriter } from '../../../src/db/live/live-parts';
import { CHANNELS } from '../../../src/db/postgres/notify';
import { type Generation, type LoopId, toId } from '../../../src/domain/ids';
import type { LivePart } from '../../../src/domain/live-part';
import { systemClock } from '../../../src/util/clock';
import { silentLogger } from '../../../src/util/logger';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { waitUntil } from '../../support/wait-until';
import { insertLoopRow, insertMessageRow } from './loop-rows';

let database: TestDatabase;
let writer: LivePartWriter;
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  writer = new LivePartWriter({ db: database.db, clock: systemClock, logger: silentLogger });
});
afterEach(async () => {
  await Promise.all(endings.splice(0).map((end) => end()));
  await writer.close();
});

interface Watcher {
  readonly items: StreamItem[];
  readonly shown: () => readonly string[];
  readonly done: Promise<void>;
  readonly end: () => void;
}

function watch(loopId: LoopId, options: StreamOptions = {}, db: Database = database.db): Watcher {
  const controller = new AbortController();
  const items: StreamItem[] = [];
  const read = async () => {
    for await (const item of streamLoop(db, loopId, { ...options, signal: controller.signal })) items.push(item);
  };
  const done = read();
  endings.push(() => {
    controller.abort();
    return done.catch(() => undefined);
  });
  return { items, shown: () => items.map(lineOf), done, end: () => controller.abort() };
}

function lineOf(item: StreamItem): string {
  switch (item.type) {
    case 'part':
      return `part ${'text' in item.part ? item.part.text : item.part.type}`;
    case 'message':
      return `${item.message.role} ${item.message.content}`;
    case 'superseded':
      return 'superseded';
    case 'loop':
      return `loop ${item.loop.status}`;
  }
}

const generation = (value: number) => toId<Generation>(value);
const text = (value: string): LivePart => ({ type: 'text-delta', text: value });
const sinkOf = (loopId: LoopId, value: number) =>
  writer.sinkFor({ loop: { id: loopId, observeEnabled: true }, generation: generation(value) });
const update = (
  loopId: LoopId,
  values: { readonly generation?: number; readonly status?: 'running' | 'queued' | 'completed' | 'cancelled' | 'paused' },
) => database.db.updateTable('loops').set(values).where('id', '=', loopId).execute();
const runningLoop = () => insertLoopRow(database.db, { observe_enabled: true, generation: 1 });
const says = (watcher: Watcher, line: string) => waitUntil(line, () => watcher.shown().includes(line));

test('parts come first, the canonical message takes their place, and the end is the last item', async () => {
  const loopId = await runningLoop();
  await insertMessageRow(database.db, loopId, { seq: 1, content: 'What is 17 plus 25?' });
  const watcher = watch(loopId);
  const sink = sinkOf(loopId, 1);
  sink.push(text('It is '));
  await says(watcher, 'part It is ');
  sink.push(text('42'));
  await says(watcher, 'part 42');
  await insertMessageRow(database.db, loopId, { seq: 2, role: 'assistant', turn_number: 1, generation: 1, content: 'It is 42' });
  await update(loopId, { status: 'completed' });
  await watcher.done;
  expect(watcher.shown()).toEqual([
    'loop running',
    'user What is 17 plus 25?',
    'part It is ',
    'part 42',
    'assistant It is 42',
    'loop completed',
  ]);
});

test('parts of an answer that is committed are not shown after it', async () => {
  const loopId = await runningLoop();
  sinkOf(loopId, 1).push(text('It is 42'));
  await writer.close();
  await insertMessageRow(database.db, loopId, { seq: 1, role: 'assistant', turn_number: 1, generation: 1, content: 'It is 42' });
  await update(loopId, { status: 'completed' });
  const watcher = watch(loopId);
  await watcher.done;
  expect(watcher.shown()).toEqual(['assistant It is 42', 'loop completed']);
});

test('a newer attempt supersedes what was shown, and never mixes with it', async () => {
  const loopId = await runningLoop();
  const watcher = watch(loopId);
  sinkOf(loopId, 1).push(text('first half of a dead attempt'));
  await says(watcher, 'part first half of a dead attempt');
  await update(loopId, { generation: 2 });
  sinkOf(loopId, 2).push(text('alive'));
  await says(watcher, 'part alive');
  expect(watcher.shown()).toEqual(['loop running', 'part first half of a dead attempt', 'superseded', 'part alive']);
});

test('the next turn after a committed one is no supersession, and results of tools are live parts of it', async () => {
  const loopId = await runningLoop();
  const watcher = watch(loopId);
  sinkOf(loopId, 1).push(text('calling'));
  await says(watcher, 'part calling');
  await insertMessageRow(database.db, loopId, { seq: 1, role: 'assistant', turn_number: 1, generation: 1, content: 'calling' });
  await says(watcher, 'assistant calling');
  sinkOf(loopId, 1).push({ type: 'tool-end', callId: 'c1', name: 'add', isSuccess: true, result: '42' });
  await says(watcher, 'part tool-end');
  await update(loopId, { generation: 2 });
  sinkOf(loopId, 2).push(text('done'));
  await says(watcher, 'part done');
  expect(watcher.shown()).toEqual(['loop running', 'part calling', 'assistant calling', 'part tool-end', 'part done']);
});

test('waiting and hidden messages are not shown; a delivered one is', async () => {
  const loopId = await runningLoop();
  await insertMessageRow(database.db, loopId, { status: 'pending', is_hidden: true, kind: 'steering', content: 'later' });
  await insertMessageRow(database.db, loopId, { seq: 1, is_hidden: true, role: 'assistant', status: 'failed', content: 'shell' });
  await insertMessageRow(database.db, loopId, { seq: 2, status: 'processing', content: 'delivered' });
  const watcher = watch(loopId);
  await says(watcher, 'user delivered');
  expect(watcher.shown()).toEqual(['loop running', 'user delivered']);
});

test('a stream goes on from where another one stopped', async () => {
  const loopId = await runningLoop();
  await insertMessageRow(database.db, loopId, { seq: 1, content: 'seen' });
  await insertMessageRow(database.db, loopId, { seq: 2, content: 'new' });
  const sink = sinkOf(loopId, 1);
  for (const part of [text('a'), { type: 'status', status: 'x' } as const, text('b'), { type: 'status', status: 'y' } as const, text('c')])
    sink.push(part);
  await writer.close();
  const watcher = watch(loopId, { from: { seq: 1, generation: generation(1), offset: 1 } });
  await says(watcher, 'part c');
  expect(watcher.shown()).toEqual(['loop running', 'user new', 'part b', 'part status', 'part c']);
});

test('each change of status is an item, and a pause does not end the stream', async () => {
  const loopId = await runningLoop();
  const watcher = watch(loopId);
  for (const status of ['paused', 'queued', 'cancelled'] as const) {
    await says(watcher, watcher.shown().at(-1) ?? 'loop running');
    await update(loopId, { status });
    await says(watcher, `loop ${status}`);
  }
  await watcher.done;
  expect(watcher.shown()).toEqual(['loop running', 'loop paused', 'loop queued', 'loop cancelled']);
});

test('watching says so in the row, and tells the workers once', async () => {
  const listener = new Client({ connectionString: database.url });
  await listener.connect();
  const notices: string[] = [];
  listener.on('notification', ({ payload = '' }) => notices.push(payload));
  await listener.query(`listen ${CHANNELS.watch}`);
  const loopId = await insertLoopRow(database.db);
  const watchers = [watch(loopId), watch(loopId)];
  const observedUntil = () => database.db.selectFrom('loops').select('observed_until').where('id', '=', loopId).executeTakeFirstOrThrow();
  await waitUntil('the watch', async () => (await observedUntil()).observed_until !== null && notices.length > 0);
  const third = watch(loopId);
  await waitUntil('an item', () => third.items.length > 0);
  await listener.end();
  expect(notices).toEqual([loopId]);
  expect((await observedUntil()).observed_until?.getTime()).toBeGreaterThan(Date.now());
  for (const watcher of watchers) watcher.end();
});

test('a loop whose last watcher is gone is forgotten, so that the next one is told of at once', async () => {
  const [loopId, other] = [await insertLoopRow(database.db), await insertLoopRow(database.db)];
  const isWatched = async () => (await watchedLoops([loopId])) === 1;
  const [others, first] = [watch(other), watch(loopId)];
  await waitUntil('the watch', isWatched);
  first.end();
  await first.done;
  await database.db.updateTable('loops').set({ observed_until: null }).where('id', '=', loopId).execute();
  await insertMessageRow(database.db, other, { content: 'noon', seq: 1 });
  await says(others, 'user noon');
  watch(loopId);
  await waitUntil('the watch again', isWatched, 5_000);
});

test('many streams of a process share one statement a poll', async () => {
  let statements = 0;
  const counting = database.db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const loopIds = await Promise.all(Array.from({ length: 20 }, () => runningLoop()));
  const watchers = loopIds.map((loopId) => watch(loopId, {}, counting));
  await waitUntil('an item of each', () => watchers.every((watcher) => watcher.items.length > 0));
  await waitUntil('all watches', async () => (await watchedLoops(loopIds)) === 20);
  const [before, since] = [statements, performance.now()];
  await waitUntil('six polls', () => statements >= before + 6);
  expect(performance.now() - since).toBeGreaterThan(450);
  await Promise.all(loopIds.map((loopId) => update(loopId, { status: 'completed' })));
  await Promise.all(watchers.map((watcher) => watcher.done));
  for (const watcher of watchers) expect(watcher.shown()).toEqual(['loop running', 'loop completed']);
});

async function watchedLoops(loopIds: readonly LoopId[]): Promise<number> {
  const rows = await database.db
    .selectFrom('loops')
    .select('id')
    .where('id', 'in', loopIds)
    .where('observed_until', 'is not', null)
    .execute();
  return rows.length;
}

test('an unknown loop is refused with its id', async () => {
  await expect(streamLoop(database.db, toId<LoopId>('424242')).next()).rejects.toMatchObject({
    code: 'LoopNotFound',
    message: 'no loop has the id 424242',
  });
});

test('an aborted signal ends the iteration quietly', async () => {
  const watcher = watch(await runningLoop());
  await waitUntil('an item', () => watcher.items.length > 0);
  watcher.end();
  await expect(watcher.done).resolves.toBeUndefined();
});

test('without live parts the transcript is shown all the same', async () => {
  const broken = await createTestDatabase();
  await sql`drop table solid_loop.live_parts`.execute(broken.db);
  const loopId = await insertLoopRow(broken.db, { status: 'completed' });
  await insertMessageRow(broken.db, loopId, { seq: 1, role: 'assistant', turn_number: 1, content: 'the answer' });
  const items: StreamItem[] = [];
  for await (const item of streamLoop(broken.db, loopId)) items.push(item);
  await broken.drop();
  expect(items.map(lineOf)).toEqual(['assistant the answer', 'loop completed']);
});
