/** The activity behind Temporal's signals and update: a refusal is an answer and an event, never a throw (R69). */

import { MockActivityEnvironment } from '@temporalio/testing';
import { createControl } from '../../../src/activities/control';
import type { ActivityDependencies } from '../../../src/activities/dependencies';
import { INPUT_LIMIT_BYTES } from '../../../src/domain/agent-loop-input';
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
