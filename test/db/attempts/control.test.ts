/** The activity behind Temporal's signals and update: a refusal is an answer and an event, never a throw (R69). */

import { MockActivityEnvironment } from '@temporalio/testing';
import { createControl } from '../../../src/activities/control';
import type { ActivityDependencies } from '../../../src/activities/dependencies';
import { INPUT_LIMIT_BYTES } from '../../../src/domain/agent-loop-input';
import type { Database } from '../../../src/db/database';
import { silentLogger } from '../../../src/util/logger';
import { FakeTemporal } from '../../support/fake-temporal';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventRows, loopRow, openTestLoop } from '../../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it.each([
  ['was too large to be handed on', { request: null, leftOutChars: INPUT_LIMIT_BYTES + 1 }],
  ['is larger than may be in a history', { request: { verb: 'steer', message: 'é'.repeat(INPUT_LIMIT_BYTES / 2) } }],
])('R9, R69: a request that %s is refused with its size, which is an event', async (_what, sent) => {
  const loopId = await openTestLoop(test.db);
  const dependencies = { db: test.db, temporal: new FakeTemporal(), logger: silentLogger } as unknown as ActivityDependencies;
  const control = createControl(dependencies);
  const answer = await new MockActivityEnvironment().run(control, { loopId, key: 'k', ...sent });
  expect(answer).toMatchObject({
    ok: false,
    code: 'InvalidInput',
    message: expect.stringContaining(`at most ${INPUT_LIMIT_BYTES}`) as unknown,
  });
  expect(await eventRows(test.db, loopId)).toMatchObject([{ kind: 'control', name: 'unreadable' }]);
  expect(await loopRow(test.db, loopId)).toMatchObject({ status: 'queued' });
});

it('R24, R78: a database that goes away between a loop and its children ends the attempt, and the next one stops them all', async () => {
  const parentId = await openTestLoop(test.db);
  const childId = await openTestLoop(test.db);
  await test.db.updateTable('loops').set({ parent_loop_id: parentId }).where('id', '=', childId).execute();
  const db = Object.assign(Object.create(test.db) as Database, {
    transaction: () => test.db.transaction(),
    selectFrom: jest.fn(test.db.selectFrom.bind(test.db)).mockImplementationOnce(() => {
      throw new Error('Connection terminated unexpectedly');
    }),
  });
  const control = createControl({ db, temporal: new FakeTemporal(), logger: silentLogger } as unknown as ActivityDependencies);
  const request = { loopId: parentId, key: 'the-stop', request: { verb: 'stop', children: true } };
  await expect(new MockActivityEnvironment().run(control, request)).rejects.toMatchObject({
    type: 'DatabaseUnavailable',
    nonRetryable: false,
  });
  await expect(new MockActivityEnvironment().run(control, request)).resolves.toMatchObject({ ok: true });
  expect(await loopRow(test.db, childId)).toMatchObject({ status: 'cancelled' });
});
