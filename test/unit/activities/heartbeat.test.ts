/** What an attempt tells with its beats. */

import type { Context } from '@temporalio/activity';
import { startHeartbeat } from '../../../src/activities/heartbeat';
import { waitUntil } from '../../support/wait-until';

/** Details of the first beat after the report. */
async function toldOf(progress: unknown): Promise<unknown> {
  const told: unknown[] = [];
  const context = { info: { heartbeatTimeoutMs: 4 }, heartbeat: (details: unknown) => told.push(details) } as unknown as Context;
  const heartbeat = startHeartbeat(context);
  heartbeat.report('running', progress);
  await waitUntil('a beat', async () => told.length > 0);
  heartbeat.stop();
  return told[0];
}

const cycle: { self?: unknown } = {};
cycle.self = cycle;

it('tells the phase, and the progress that a tool reports', async () => {
  await expect(toldOf(undefined)).resolves.toEqual({ phase: 'running' });
  await expect(toldOf({ page: 3 })).resolves.toEqual({ phase: 'running', progress: { page: 3 } });
});

it.each([
  ['a cycle', cycle],
  ['a bigint', 1n],
  ['a function', () => undefined],
  ['a symbol', Symbol('x')],
  ['a long text', 'x'.repeat(5_000)],
])('leaves out what Temporal could not take: %s', async (_what, progress) => {
  await expect(toldOf(progress)).resolves.toEqual({ phase: 'running', progress: expect.stringContaining('left out') as unknown });
});
