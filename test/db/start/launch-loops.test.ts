/** The launcher: rows that were made inside a host's transaction get their workflows. */

import { bindInstallation } from '../../../src/db/loops/bind-installation';
import { FenceListener } from '../../../src/db/leases/fence-listener';
import { LoopLauncher } from '../../../src/db/loops/launch-loops';
import { openLoop } from '../../../src/db/loops/open-loop';
import { insertLoop, startLoop, type StartedLoop } from '../../../src/db/loops/start-loop';
import { systemClock } from '../../../src/util/clock';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { FakeClock } from '../../support/fake-clock';
import { FakeTemporal } from '../../support/fake-temporal';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger';
import { waitUntil } from '../../support/wait-until';

let database: TestDatabase;
let temporal: FakeTemporal;
let clock: FakeClock;
let logger: RecordingLogger;
const open: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db.deleteFrom('loops').execute();
  await database.db.updateTable('installation').set({ namespace_id: null }).execute();
  temporal = new FakeTemporal();
  clock = new FakeClock();
  logger = createRecordingLogger();
});
afterEach(async () => {
  for (const part of open.splice(0).toReversed()) await part.close();
});

const start = (taskQueue = 'solidloop'): Promise<StartedLoop> =>
  startLoop(database.db, { agent: 'librarian', message: 'Find the book', taskQueue });

function launch(listener?: FenceListener): LoopLauncher {
  const launcher = new LoopLauncher({
    db: database.db,
    temporal,
    namespaceId: 'namespace-1',
    taskQueue: 'solidloop',
    clock,
    logger,
    ...(listener ? { listener } : {}),
  });
  open.push(launcher);
  launcher.start();
  return launcher;
}

/** A look was made and has ended: a row that was made for it was launched. */
async function lookAgain(): Promise<void> {
  const { workflowId } = await start();
  await waitUntil('a look', () => {
    clock.advance(5_000);
    return temporal.started.includes(workflowId);
  });
}

it('R2: launches the init rows of its own queue at the start, and again every 5 s', async () => {
  const [first, other] = [await start(), await start('another queue')];
  launch();
  await waitUntil('the first launch', () => temporal.started.length === 1);
  const second = await start();
  await waitUntil('the next look', () => {
    clock.advance(5_000);
    return temporal.started.length === 2;
  });
  expect(temporal.started).toEqual([first.workflowId, second.workflowId]);
  expect(temporal.started).not.toContain(other.workflowId);
});

it('R2: does not start a workflow again while it waits to open its loop, but does after a minute', async () => {
  const { workflowId } = await start();
  launch();
  await lookAgain();
  await lookAgain();
  expect(temporal.started.filter((id) => id === workflowId)).toHaveLength(1);
  await waitUntil('another start', () => {
    clock.advance(60_000);
    return temporal.started.filter((id) => id === workflowId).length >= 2;
  });
});

it('R2: leaves a loop alone that its workflow has opened: the status is changed there only', async () => {
  const { loopId, workflowId } = await start();
  await openLoop(database.db, { loopId, workflowId, runId: 'run-1', taskQueue: 'solidloop', namespaceId: 'namespace-1' });
  launch();
  await lookAgain();
  expect(temporal.started).not.toContain(workflowId);
});

it('R14: hears of a row when its transaction commits, without waiting for the next look', async () => {
  const listener = new FenceListener({ connectionString: database.url, clock: systemClock, logger });
  open.push(listener);
  await listener.start();
  launch(listener);
  await lookAgain();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  const { workflowId } = await insertLoop(client, { agent: 'librarian', message: 'now', taskQueue: 'solidloop' });
  await client.query('commit');
  await client.end();
  await waitUntil('the launch', () => temporal.started.includes(workflowId));
});

it('R46: while Temporal is away nothing is lost: the next look tries again', async () => {
  const { workflowId } = await start();
  temporal.isAway = true;
  launch();
  await waitUntil('the failure', () => logger.said('warn').length > 0);
  temporal.isAway = false;
  await waitUntil('the launch', () => {
    clock.advance(5_000);
    return temporal.started.includes(workflowId);
  });
});

it('R71: launches nothing where the tables belong to another namespace, and says so', async () => {
  await bindInstallation(database.db, 'namespace-of-the-original');
  await start();
  launch();
  await waitUntil('the warning', () => logger.said('warn').length > 0);
  expect(logger.said('warn')[0]).toContain('solidloop adopt');
  expect(temporal.started).toEqual([]);
});

it('R71: of two namespaces that ask at once, the first one is bound and both hear it', async () => {
  const bindings = await Promise.all(['a', 'b'].map((namespaceId) => bindInstallation(database.db, namespaceId)));
  expect(bindings.map(({ kind }) => kind).toSorted()).toEqual(['foreign', 'ours']);
});
