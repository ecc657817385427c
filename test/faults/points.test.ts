/** Every named point of a step × what can happen to its process there: the loop reaches its end, and nothing is lost, doubled or shown by halves. */

import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Client as PostgresClient } from 'pg';
import { FAULT_POINTS, type FaultPoint } from '../../src/domain/fault-points';
import type { StartedLoop } from '../../src/db/loops/start-loop';
import { POINT_FAULTS, type RoundCase, runFaultRound } from '../../src/testing/faults/run-fault-round';
import { waitUntil } from '../support/wait-until';
import { temporalAddress } from '../support/workflows';
import { openStage, type OwnStage } from './support/open-stage';

let temporal: TemporalClient;
beforeAll(async () => {
  temporal = new TemporalClient({ connection: await Connection.connect({ address: temporalAddress() }) });
});
afterAll(() => temporal.connection.close());

const TOOLS_A_TURN = 3;

/** How a loop is brought to the point. A call's point is reached by calls of all three effects, and all three are held there. */
function caseOf(stage: OwnStage, point: FaultPoint): RoundCase {
  const start = (message: string, agent = 'worker') => stage.client.start({ agent, message, title: point });
  const [step] = point.split(':');
  switch (step) {
    case 'call':
      return { point, count: TOOLS_A_TURN, start: () => start('go', isBetween(point) ? 'layered' : 'worker') };
    case 'next':
      return { point, start: () => start('go slow'), prompt: (loop) => steerByClient(stage, loop) };
    case 'control':
      return { point, start: () => start('go slow'), prompt: (loop) => steerBySignal(stage, loop) };
    default:
      return { point, start: () => start('go') };
  }
}

/** Checkpoint and response are apart only where a middleware stands between them. */
const isBetween = (point: FaultPoint): boolean => point === 'call:after-checkpoint' || point === 'call:before-respond';

const untilAsked = (stage: OwnStage, { loopId }: StartedLoop) =>
  waitUntil('the turn in flight', async () => (await stage.client.get(loopId)).status === 'running');

async function steerByClient(stage: OwnStage, loop: StartedLoop): Promise<void> {
  await untilAsked(stage, loop);
  await stage.client.control(loop.loopId, { verb: 'steer', message: 'and another' });
}

async function steerBySignal(stage: OwnStage, loop: StartedLoop): Promise<void> {
  await untilAsked(stage, loop);
  await temporal.workflow.getHandle(loop.workflowId).signal('steer', { message: 'and another', key: 'the-one-key' });
}

/** A step that fails for good in a way that no code foresees: the database refuses the claims of these loops. */
async function refuseClaimsOfClosing(databaseUrl: string): Promise<void> {
  const client = new PostgresClient({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    create function refuse_claim() returns trigger language plpgsql as $$ begin raise exception 'this loop is not to be claimed'; end $$;
    create trigger refuse_claim before update on solid_loop.loops for each row
      when (new.title like 'close:%' and new.status = 'running' and old.status <> 'running') execute function refuse_claim();`);
  await client.end();
}

describe.each(POINT_FAULTS)('R10-R28, R54-R59, R75, P122: a worker that suffers "%s"', (fault) => {
  it('at any point loses nothing, does nothing twice, and every loop reaches its end', async () => {
    const stage = await openStage();
    try {
      await refuseClaimsOfClosing(stage.database.url);
      const cases = FAULT_POINTS.map((point) => caseOf(stage, point));
      const loopIds = await runFaultRound(stage, fault, cases);
      expect(await stage.violations()).toEqual([]);
      const statuses = await Promise.all(loopIds.map(async (id) => (await stage.client.get(id)).status));
      expect(statuses).toEqual(FAULT_POINTS.map((point) => (point.startsWith('close:') ? 'failed' : 'completed')));
      expect(FAULT_POINTS.filter((point) => !stage.director.reached.has(point))).toEqual([]);
    } finally {
      await stage.close();
    }
  }, 300_000);
});
