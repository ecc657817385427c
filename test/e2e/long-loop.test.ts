/** Long loops: the history does not grow with the transcript, and a run hands over to the next before it is long. */

import { Client as TemporalClient, Connection } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent';
import { defineTool } from '../../src/agents/define-tool';
import { textAnswer, toolCallsAnswer } from '../../src/testing/scripted-answers';
import { startTestApp, type TestApp } from '../support/app';
import { temporalAddress } from '../support/workflows';

const TURNS = 200;
const RESULT_CHARS = 2_000;

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks something up',
  input: z.object({ page: z.number() }),
  effect: 'read',
  run: ({ page }) => `${page} `.padEnd(RESULT_CHARS, 'lorem ipsum '),
});

let app: TestApp;
let temporal: TemporalClient;
beforeAll(async () => {
  app = await startTestApp({ agents: (model) => [defineAgent({ name: 'reader', model, tools: [lookup], limits: { steps: 2 * TURNS } })] });
  temporal = new TemporalClient({ connection: await Connection.connect({ address: temporalAddress() }) });
});
afterAll(async () => {
  await temporal.connection.close();
  await app.close();
});

interface Run {
  readonly events: number;
  readonly bytes: number;
  readonly isContinued: boolean;
}

/** Follows the chain of runs of one workflow from the first. */
async function readRuns(workflowId: string, firstRunId: string): Promise<Run[]> {
  const runs: Run[] = [];
  for (let runId: string | undefined = firstRunId; runId !== undefined;) {
    const history: proto.api.history.v1.IHistoryEvent[] =
      (await temporal.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
    const next = history.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    runs.push({
      events: history.length,
      bytes: proto.api.history.v1.History.encode({ events: history }).finish().length,
      isContinued: typeof next === 'string',
    });
    runId = typeof next === 'string' && next !== '' ? next : undefined;
  }
  return runs;
}

it('R28, R67: two loops of 200 turns with 2 kB results finish, continue as new at least once, and cost under 250 B of history an event', async () => {
  for (const lastUserMessageContains of ['read 1', 'read 2']) {
    const match = { lastUserMessageContains };
    await app.model.push(
      { ...toolCallsAnswer([{ name: 'lookup', arguments: { page: 7 } }]), match, times: TURNS - 1 },
      { ...textAnswer('read it all'), match },
    );
  }
  const started = await Promise.all([1, 2].map((n) => app.client.start({ agent: 'reader', message: `read ${n}` })));
  for (const { loopId, workflowId } of started) {
    await expect(app.client.result(loopId)).resolves.toMatchObject({ status: 'completed', answer: 'read it all' });
    const handle = temporal.workflow.getHandle(workflowId);
    const described = await handle.describe();
    const runs = await readRuns(workflowId, described.raw.workflowExecutionInfo?.firstRunId ?? described.runId);
    expect(runs.filter(({ isContinued }) => isContinued).length).toBeGreaterThanOrEqual(1);
    for (const { events, bytes } of runs) expect(bytes / events).toBeLessThan(250);
    const { counters } = await app.client.get(loopId);
    expect(counters.steps).toBe(TURNS);
  }
}, 600_000);
