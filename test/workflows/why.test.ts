import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { whyLoop } from '../../src/client/why';
import { type LoopId, toId } from '../../src/domain/ids';
import { CUT_OFF } from '../../src/domain/wire';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { insertLoopRow, insertMessageRow } from '../db/live/loop-rows';

let database: TestDatabase;
let connection: Connection;
let client: Client;
const name = `why-${randomUUID()}`;

beforeAll(async () => {
  database = await createTestDatabase();
  connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '' });
  client = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});

test('an unknown loop is refused', async () => {
  await expect(whyLoop({ db: database.db, temporal: client }, { id: toId<LoopId>('999') })).rejects.toMatchObject({ code: 'LoopNotFound' });
});

test('R70: no workflow, then no worker, then a workflow that was terminated, are told apart', async () => {
  const loopId = await insertLoopRow(database.db, { workflow_id: name, task_queue: name, status: 'queued' });
  expect(await whyLoop({ db: database.db, temporal: client }, { id: loopId })).toMatchObject({
    code: 'no-workflow',
    facts: { temporal: { kind: 'not-found' } },
  });

  const handle = await client.workflow.start('agentLoop', { workflowId: name, taskQueue: name, args: [{ loopId }] });
  expect(await whyLoop({ db: database.db, temporal: client }, { id: loopId })).toMatchObject({
    code: 'no-worker',
    loopId,
    workflowId: name,
    status: 'queued',
  });

  await handle.terminate('a test');
  expect(await whyLoop({ db: database.db, temporal: client }, { id: loopId })).toMatchObject({
    code: 'no-workflow',
    facts: { temporal: { kind: 'closed', status: 'terminated' } },
  });
});

test('what the rows tell is there: calls without an answer, waiting messages, the last error of a server, the last refusal', async () => {
  const loopId = await insertLoopRow(database.db, { status: 'paused', paused_by: 'ana' });
  const messageId = await insertMessageRow(database.db, loopId, { seq: 1, role: 'assistant', turn_number: 1 });
  await insertMessageRow(database.db, loopId, { status: 'pending', is_hidden: true });
  await database.db
    .insertInto('tool_calls')
    .values({ loop_id: loopId, message_id: messageId, position: 0, tool_call_id: 'c', function_name: 'add' })
    .execute();
  const event = { loop_id: loopId, kind: 'llm-request' };
  await database.db
    .insertInto('events')
    .values([
      { ...event, status: 429, error: 'slow down' },
      { ...event, status: 200 },
      { ...event, status: 200, error: `${CUT_OFF}the loop was paused` },
      { loop_id: loopId, kind: 'SteeringError', error: 'refused' },
    ])
    .execute();
  expect((await whyLoop({ db: database.db, temporal: client }, { id: loopId })).facts.loop).toMatchObject({
    pausedBy: 'ana',
    waitingMessages: 1,
    unresolvedCalls: [{ name: 'add', startedAt: null, isExecuted: false }],
    lastError: { status: 429, error: 'slow down', at: expect.any(Date) as Date },
    lastRefusal: { kind: 'SteeringError', error: 'refused', at: expect.any(Date) as Date },
  });
});

test('a Temporal that does not answer is part of the answer', async () => {
  const loopId = await insertLoopRow(database.db, { status: 'queued' });
  const away = Connection.lazy({ address: '127.0.0.1:1', connectTimeout: 500 });
  const why = await whyLoop({ db: database.db, temporal: new Client({ connection: away }) }, { id: loopId });
  await away.close();
  expect(why).toMatchObject({ code: 'temporal-unreachable', loopId });
});
