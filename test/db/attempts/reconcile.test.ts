/** The activity that runs the reconciler: what it is told by the config. */

import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'kysely';
import type { ActivityDependencies } from '../../../src/activities/dependencies';
import { createReconcile } from '../../../src/activities/reconcile';
import { defineConfig, type SolidLoopConfig } from '../../../src/agents/define-config';
import { AgentRegistry } from '../../../src/agents/registry';
import { DEFAULT_SETTINGS } from '../../../src/domain/settings';
import { FakeTemporal } from '../../support/fake-temporal';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { loopRow, openTestLoop } from '../../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it.each<[SolidLoopConfig['onTerminated'], string]>([
  [undefined, 'paused'],
  ['pause', 'paused'],
  ['restart', 'queued'],
])('R72: with onTerminated %s, a loop whose workflow a person terminated is %s', async (onTerminated, status) => {
  const temporal = new FakeTemporal();
  const loopId = await openTestLoop(test.db);
  const { workflow_id } = await loopRow(test.db, loopId);
  await sql`update solid_loop.loops set status_changed_at = clock_timestamp() - interval '1 hour' where id = ${loopId}`.execute(test.db);
  temporal.states.set(workflow_id, 'terminated');
  const dependencies = {
    db: test.db,
    agents: new AgentRegistry([]),
    config: defineConfig({ agents: [], ...(onTerminated === undefined ? {} : { onTerminated }) }),
    settings: DEFAULT_SETTINGS,
    temporal,
    namespaceId: 'namespace-1',
  } as unknown as ActivityDependencies;
  await new MockActivityEnvironment().run(createReconcile(dependencies));
  expect(await loopRow(test.db, loopId)).toMatchObject({ status });
  expect(temporal.started).toEqual(status === 'queued' ? [workflow_id] : []);
  await test.db.deleteFrom('loops').execute();
});
