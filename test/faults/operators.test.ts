/** What an operator can do to a loop with Temporal's own tools, and what the tables make of it. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { sql } from 'kysely';
import { createTemporalDriver } from '../../src/client/temporal-driver';
import { reconcile } from '../../src/db/reconcile/reconcile';
import { DEFAULT_SETTINGS } from '../../src/domain/settings';
import { waitUntil } from '../support/wait-until';
import { temporalAddress } from '../support/workflows';
import { openStage, type OwnStage } from './support/open-stage';
import { expectAllCompleted } from './support/run-loops';

let temporal: TemporalClient;
let stage: OwnStage;
beforeAll(async () => {
  temporal = new TemporalClient({ connection: await Connection.connect({ address: temporalAddress() }) });
  stage = await openStage();
  await stage.startWorker();
});
afterAll(async () => {
  await stage.close();
  await temporal.connection.close();
});

const temporalCli = (...parameters: readonly string[]) =>
  promisify(execFile)(process.env.TEMPORAL_CLI ?? 'temporal', [...parameters, '--address', temporalAddress()]);

/** As if the last change were long past, so that nobody may think that somebody is at work. */
async function age(loopId: string): Promise<void> {
  await sql`update solid_loop.loops set status_changed_at = status_changed_at - interval '1 hour', lease_expires_at = null where id = ${loopId}`.execute(
    stage.database.db,
  );
  await sql`update solid_loop.tool_calls set lease_expires_at = null where loop_id = ${loopId}`.execute(stage.database.db);
}

async function reconcileOnce() {
  const driver = createTemporalDriver(temporal);
  return reconcile(stage.database.db, driver, { namespaceId: await driver.namespaceId(), settings: DEFAULT_SETTINGS, dryRun: false });
}

describe('an operator', () => {
  it.each(['turn:after-load', 'turn:in-call', 'call:after-claim', 'call:after-body'])(
    'R26, R58: resets an activity that is at %s, and the loop goes on',
    async (point) => {
      const { loopId, workflowId } = await stage.client.start({ agent: 'worker', message: 'go' });
      const hold = stage.director.hold({ point, workflowId });
      const [arrival] = await hold.reached;
      await temporalCli('activity', 'reset', '--workflow-id', workflowId, '--activity-id', arrival?.activityId ?? '');
      hold.release();
      await expectAllCompleted(stage, [loopId]);
    },
    120_000,
  );

  it('R28: resets a workflow to its first task, and the new run finds what the old one did', async () => {
    const { loopId, workflowId } = await stage.client.start({ agent: 'worker', message: 'go' });
    const hold = stage.director.hold({ point: 'call:after-claim', workflowId, count: 3 });
    await hold.reached;
    await temporalCli('workflow', 'reset', '--workflow-id', workflowId, '--type', 'FirstWorkflowTask', '--reason', 'a test');
    hold.release();
    await expectAllCompleted(stage, [loopId]);
    expect((await stage.client.get(loopId)).counters.steps).toBe(2);
  }, 120_000);

  it('R72: terminates a workflow: the loop is paused with the reason, and resume carries it on from the tables', async () => {
    const { loopId, workflowId } = await stage.client.start({ agent: 'worker', message: 'go' });
    const hold = stage.director.hold({ point: 'call:after-claim', workflowId, count: 3 });
    await hold.reached;
    await temporal.workflow.getHandle(workflowId).terminate('a test');
    await age(loopId);
    await expect(reconcileOnce()).resolves.toMatchObject({ loopsPaused: 1 });
    hold.release();
    expect(await stage.violations(['completed', 'paused'])).toEqual([]);
    await stage.client.control(loopId, { verb: 'resume' });
    await expectAllCompleted(stage, [loopId]);
  }, 120_000);

  it('R70: deletes a workflow: two reconcilers at once start one new run, and it carries the loop on from the tables', async () => {
    const { loopId, workflowId } = await stage.client.start({ agent: 'worker', message: 'go' });
    const hold = stage.director.hold({ point: 'turn:in-call', workflowId });
    await hold.reached;
    await temporal.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution: { workflowId } });
    const driver = createTemporalDriver(temporal);
    await waitUntil('the workflow to be gone', async () => (await driver.describe(workflowId)) === 'not-found');
    await age(loopId);
    const counts = await Promise.all([reconcileOnce(), reconcileOnce()]);
    hold.release();
    expect(counts.map(({ workflowsStarted }) => workflowsStarted).toSorted()).toEqual([0, 1]);
    await expectAllCompleted(stage, [loopId]);
  }, 120_000);
});
