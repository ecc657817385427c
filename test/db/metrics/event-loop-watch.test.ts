/** A stall of the event loop is told with the tools that ran meanwhile. */

import { EventLoopWatch } from '../../../src/activities/event-loop-watch';
import { NO_METRICS } from '../../../src/metrics/engine-metrics';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { FakeClock } from '../../support/fake-clock';
import { acceptedCall, eventRows, loopInToolPhase } from '../../support/loops';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger';
import { waitUntil } from '../../support/wait-until';

let database: TestDatabase;
let clock: FakeClock;
let logger: RecordingLogger;
let stalls: number[];
let watch: EventLoopWatch;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  clock = new FakeClock();
  logger = createRecordingLogger();
  stalls = [];
  watch = new EventLoopWatch({
    db: database.db,
    clock,
    logger,
    metrics: { ...NO_METRICS, stalled: (seconds) => void stalls.push(seconds) },
  });
});
afterEach(() => watch.close());

it('R79: a stall over 5 s is an event of each loop whose tool ran, and names it', async () => {
  const { loopId, callIds } = await loopInToolPhase(database.db, [acceptedCall('hash_all')]);
  const leave = watch.enter({ loopId, callId: callIds[0], name: 'hash_all' });
  clock.advance(2_000);
  clock.stall(6_500);
  leave();
  const [event] = await waitUntil('the event', async () => {
    const rows = await eventRows(database.db, loopId);
    return rows.length > 0 && rows;
  });
  expect(event).toMatchObject({
    kind: 'event-loop-stalled',
    name: 'hash_all',
    tool_call_id: callIds[0],
    error: expect.stringContaining('6.0 s') as unknown,
  });
  expect(stalls).toEqual([6]);
});

it('R79: a tool that blocked and ended before anybody noticed is named too', () => {
  const [loopId, callId] = ['1', '1'] as never[] as [never, never];
  const leave = watch.enter({ loopId, callId, name: 'hash_all' });
  clock.advance(400);
  leave();
  clock.stall(5_200);
  expect(logger.entries.filter(({ level }) => level === 'error').map(({ fields }) => fields)).toEqual([
    { seconds: 5.1, tools: ['hash_all'] },
  ]);
});

it('R79: shorter stalls are nobody’s fault, and a tool that ended before the stall is not named', () => {
  const [loopId, callId] = ['1', '1'] as never[] as [never, never];
  watch.enter({ loopId, callId, name: 'quick' })();
  clock.advance(1_000);
  clock.stall(4_000);
  expect(stalls).toEqual([]);
  clock.stall(9_000);
  expect(logger.entries.map(({ fields }) => fields.tools)).toEqual([[]]);
});
