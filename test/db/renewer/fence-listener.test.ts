/** The listening connection: what it hears, and that it comes back. */

import { sql } from 'kysely';
import { FenceListener } from '../../../src/db/leases/fence-listener';
import { CHANNELS } from '../../../src/db/postgres/notify';
import { systemClock } from '../../../src/util/clock';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger';
import { waitUntil } from '../../support/wait-until';
import { bringDatabaseBack, cutConnections, onOtherDatabase } from './harness';

let database: TestDatabase;
let logger: RecordingLogger;
let listener: FenceListener;

beforeAll(async () => {
  database = await createTestDatabase({ onIdleError: () => undefined });
});
afterAll(() => database.drop());
beforeEach(() => {
  logger = createRecordingLogger();
  listener = new FenceListener({ connectionString: database.url, clock: systemClock, logger });
});
afterEach(() => listener.close());

const send = (channel: string, payload: string) => sql`select pg_notify(${channel}, ${payload})`.execute(database.db);

it('R14: one connection hears control, launch and watch, each handler its own channel, until it is taken back', async () => {
  const heard: string[] = [];
  const channels = Object.values(CHANNELS);
  const unsubscribe = channels.map((channel) => listener.subscribe(channel, (payload) => void heard.push(`${channel} ${payload}`)));
  await listener.start();
  for (const channel of channels) await send(channel, '7');
  await waitUntil('the notices', () => heard.length === 3);
  expect(heard).toEqual(channels.map((channel) => `${channel} 7`));
  unsubscribe[0]?.();
  await send(channels[0] ?? '', '8');
  await send(channels[1] ?? '', '9');
  await waitUntil('the last notice', () => heard.length > 3);
  expect(heard.at(-1)).toBe(`${channels[1]} 9`);
});

it('R14: a connection that is cut comes back, says so, and hears again', async () => {
  const heard: string[] = [];
  let connects = 0;
  listener.subscribe(CHANNELS.control, (payload) => void heard.push(payload));
  listener.onConnect(() => void (connects += 1));
  await listener.start();
  await cutConnections(database.url, 'solidloop-listen');
  await waitUntil('the second connection', () => connects === 2);
  await send(CHANNELS.control, '42');
  await waitUntil('the notice', () => heard.includes('42'));
  expect(logger.said('warn')).toEqual(['the listening connection was lost and is opened again']);
});

it('R18: a database that is away at the start is tried again until it is there', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await onOtherDatabase(database.url, `alter database ${name} allow_connections false`);
  await listener.start();
  expect(listener.isListening).toBe(false);
  await bringDatabaseBack(database.url);
  await waitUntil('the connection', () => listener.isListening);
});

it('R14: a handler that throws is logged and keeps no other from hearing', async () => {
  const heard: string[] = [];
  listener.subscribe(CHANNELS.watch, () => {
    throw new Error('deaf');
  });
  listener.subscribe(CHANNELS.watch, (payload) => void heard.push(payload));
  await listener.start();
  await send(CHANNELS.watch, '1');
  await waitUntil('the other handler', () => heard.length === 1);
  expect(logger.entries).toContainEqual({ level: 'error', fields: { error: 'deaf' }, sentence: 'a handler of database notices failed' });
});

it('R14: after close nothing is opened again', async () => {
  await listener.start();
  await listener.close();
  const { rows } = await sql<{ count: string }>`
    select count(*) from pg_stat_activity where datname = current_database() and application_name = 'solidloop-listen'`.execute(
    database.db,
  );
  expect(rows[0]?.count).toBe('0');
  expect(listener.isListening).toBe(false);
});
