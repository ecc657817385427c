/** A worker dies with a workflow in its cache and no step in hand: nobody beats for it, so no heartbeat tells that it is gone. */

import { Client as TemporalClient, Connection } from '@temporalio/client';
import { waitUntil } from '../support/wait-until';
import { temporalAddress } from '../support/workflows';
import { openStage } from './support/open-stage';
import { expectAllCompleted } from './support/run-loops';
import { eventsOf, pidOfCache } from './support/workflow-cache';

/** Temporal's own patience with a dead worker is 10 s. */
const LONGEST_WAIT_SECONDS = 8;

const secondsOf = (time: { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined): number =>
  Number(time?.seconds) + Number(time?.nanos) / 1e9;

/** How long each task waited in vain for the worker that had the workflow cached. */
async function waitsForTheDead(temporal: TemporalClient, workflowId: string): Promise<readonly number[]> {
  const events = await eventsOf(temporal, workflowId);
  const timeOf = (eventId: unknown) => secondsOf(events.find((event) => String(event.eventId) === String(eventId))?.eventTime);
  return events.flatMap(({ eventId, workflowTaskTimedOutEventAttributes: timedOut }) =>
    timedOut === null || timedOut === undefined ? [] : [timeOf(eventId) - timeOf(timedOut.scheduledEventId)],
  );
}

it('R67: what wakes a workflow is seen within seconds by another worker', async () => {
  const [stage, connection] = await Promise.all([openStage(), Connection.connect({ address: temporalAddress() })]);
  try {
    const temporal = new TemporalClient({ connection });
    const workers = [await stage.startWorker(), await stage.startWorker()];
    const { loopId, workflowId } = await stage.client.start({ agent: 'worker', message: 'go slow' });
    await waitUntil('the turn', async () => (await stage.client.get(loopId)).status === 'running');
    await stage.client.control(loopId, { verb: 'pause', when: 'afterStep' });
    await waitUntil('the pause', async () => (await stage.client.get(loopId)).status === 'paused');
    const pid = await waitUntil('the workflow to rest', () => pidOfCache(temporal, workflowId));
    await workers.find((worker) => worker.pid === pid)?.kill();
    await stage.client.control(loopId, { verb: 'resume' });
    await expectAllCompleted(stage, [loopId]);
    const waits = await waitsForTheDead(temporal, workflowId);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeLessThan(LONGEST_WAIT_SECONDS);
  } finally {
    await stage.close();
    await connection.close();
  }
}, 180_000);
