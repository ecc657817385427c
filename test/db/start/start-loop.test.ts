/** Starting a loop by its row, in our transaction and in the host's. */

import { sql } from 'kysely';
import { Client, Pool } from 'pg';
import { CHANNELS } from '../../../src/db/postgres/notify';
import { openLoop } from '../../../src/db/loops/open-loop';
import { insertLoop, startLoop, type StartLoopOptions } from '../../../src/db/loops/start-loop';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { loopRow, messageRows, openTestLoop, putAtRest } from '../../support/loops';
import { waitUntil } from '../../support/wait-until';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const options = (changes: Partial<StartLoopOptions> = {}): StartLoopOptions => ({
  agent: 'librarian',
  message: 'Find the book',
  taskQueue: 'solidloop',
  ...changes,
});

async function withClient<Result>(action: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  return action(client).finally(() => client.end());
}

const countLoops = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from solid_loop.loops`.execute(database.db);
  return rows[0]?.count ?? 0;
};

it('R2, R77: a start makes an init row with its first message pending, under a workflow id of ours', async () => {
  const { db } = database;
  const started = await startLoop(
    db,
    options({ title: 'A quest', subject: { type: 'book', id: '7' }, state: { a: 1 }, limits: { steps: 3 } }),
  );
  expect(started).toMatchObject({ isNew: true, status: 'init' });
  expect(started.workflowId).toMatch(/^loop-[0-9a-f]{8}-[0-9a-f]{4}-7/);
  expect(await loopRow(db, started.loopId)).toMatchObject({
    workflow_id: started.workflowId,
    start_key: started.workflowId,
    namespace_id: null,
    title: 'A quest',
    subject_type: 'book',
    state: { a: 1 },
    limits: { steps: 3 },
  });
  expect(await messageRows(db, started.loopId)).toMatchObject([
    { role: 'user', status: 'pending', is_hidden: true, content: 'Find the book' },
  ]);
});

it("R2, R77: the row is the host's: rolled back with its transaction, launched when it commits", async () => {
  const heard: string[] = [];
  await withClient(async (listener) => {
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await listener.query(`listen ${CHANNELS.launch}`);
    await withClient(async (client) => {
      const before = await countLoops();
      await client.query('begin');
      await insertLoop(client, options());
      await client.query('rollback');
      expect(await countLoops()).toBe(before);

      await client.query('begin');
      const { loopId } = await insertLoop(client, options({ taskQueue: 'books' }));
      expect(await countLoops()).toBe(before);
      await client.query('commit');
      expect(await countLoops()).toBe(before + 1);
      expect((await loopRow(database.db, loopId)).status).toBe('init');
    });
    await waitUntil('the notice', () => heard.length > 0);
    expect(heard).toEqual(['books']);
  });
});

it('R77: the same start key is the same loop, as it stands, also when it has ended', async () => {
  const { db } = database;
  const key = 'order 7';
  const first = await startLoop(db, options({ key }));
  const { loopId, workflowId } = first;
  await openLoop(db, { loopId, workflowId, runId: 'run-1', taskQueue: 'solidloop', namespaceId: 'namespace-1' });
  expect(await startLoop(db, options({ key, message: 'other words' }))).toEqual({ loopId, workflowId, isNew: false, status: 'queued' });
  await putAtRest(db, loopId, { status: 'completed' });
  const pool = new Pool({ connectionString: database.url });
  expect(await insertLoop(pool, options({ key }))).toEqual({ loopId, workflowId, isNew: false, status: 'completed' });
  await pool.end();
});

it('R77: of many starts under one key at once, one makes the loop and all get it', async () => {
  const starts = await Promise.all(Array.from({ length: 8 }, () => startLoop(database.db, options({ key: 'at once' }))));
  expect(new Set(starts.map(({ loopId }) => loopId)).size).toBe(1);
  expect(starts.filter(({ isNew }) => isNew)).toHaveLength(1);
});

it('R77: a transaction whose snapshot is older than the other start gets a serialisation failure, as for any such write', async () => {
  await withClient(async (client) => {
    await client.query('begin isolation level repeatable read');
    await client.query('select 1 from solid_loop.loops limit 1');
    await startLoop(database.db, options({ key: 'newer than the snapshot' }));
    await expect(insertLoop(client, options({ key: 'newer than the snapshot' }))).rejects.toMatchObject({ code: '40001' });
    await client.query('rollback');
  });
});

it('R77: any driver will do that can run a text with values', async () => {
  await withClient(async (client) => {
    const texts: string[] = [];
    const adapter = {
      query: async (text: string, values: unknown[]) => {
        texts.push(text);
        const { rows } = await client.query(text, values);
        return { rows: rows as unknown[] };
      },
    };
    expect(await insertLoop(adapter, options())).toMatchObject({ isNew: true });
    expect(texts.every((text) => /\$1\b/.test(text))).toBe(true);
  });
});

it('R78: a child knows the loop that started it', async () => {
  const parentLoopId = await openTestLoop(database.db);
  const { loopId } = await startLoop(database.db, options({ parentLoopId }));
  expect((await loopRow(database.db, loopId)).parent_loop_id).toBe(parentLoopId);
});

it.each([
  [{ message: '' }, 'message'],
  [{ agent: 'no such name!' }, 'agent'],
  [{ limits: { steps: 0 } }, 'limits.steps'],
  [{ subject: { type: 'book' } }, 'subject.id'],
  [{ mesage: 'x' }, 'mesage'],
])('R77: a start with %j is refused by the name of the field, and makes no row', async (changes, field) => {
  const before = await countLoops();
  await expect(startLoop(database.db, options(changes as Partial<StartLoopOptions>))).rejects.toMatchObject({
    code: 'InvalidInput',
    field,
  });
  expect(await countLoops()).toBe(before);
});
