/** What workers depend on goes away and comes back: Postgres, Temporal, the model. */

import { setTimeout as delay } from 'node:timers/promises';
import { Client as PostgresClient } from 'pg';
import { textAnswer, toolCallsAnswer } from '../../src/testing/scripted-answers';
import { openStage } from './support/open-stage';
import { startOwnTemporal } from './support/own-temporal';
import { expectAllCompleted, startLoops } from './support/run-loops';

const OUTAGE_MS = 3_000;

/** As a restart looks from outside: every session ends, and for a while nobody answers. */
async function restartPostgres(databaseUrl: string): Promise<void> {
  const client = new PostgresClient({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'solidloop%' and application_name <> 'solidloop-client' and pid <> pg_backend_pid()`,
  );
  await client.end();
}

describe('an outage under load', () => {
  it('R18, R24, R46: Postgres ends every session and is away for seconds', async () => {
    const stage = await openStage();
    try {
      await stage.startWorker();
      const { loopIds } = await startLoops(stage, 10);
      const slow = await startLoops(stage, 5, { message: 'go slow' });
      await stage.model.waitUntil((journal) => journal.length >= 10);
      await restartPostgres(stage.databaseUrl);
      stage.postgres.refuse();
      await delay(OUTAGE_MS);
      stage.postgres.heal();
      await expectAllCompleted(stage, [...loopIds, ...slow.loopIds]);
    } finally {
      await stage.close();
    }
  }, 240_000);

  it('R18, R24, R46: Postgres takes connections and does not answer', async () => {
    const stage = await openStage();
    try {
      await stage.startWorker();
      const { loopIds } = await startLoops(stage, 10);
      await stage.model.waitUntil((journal) => journal.length >= 5);
      stage.postgres.hold();
      await delay(OUTAGE_MS);
      stage.postgres.heal();
      await expectAllCompleted(stage, loopIds);
    } finally {
      await stage.close();
    }
  }, 240_000);

  it('R26, R28, R46: the connection to Temporal is cut for longer than a heartbeat', async () => {
    const stage = await openStage();
    try {
      await stage.startWorker();
      const { loopIds } = await startLoops(stage, 10);
      const slow = await startLoops(stage, 5, { message: 'go slow' });
      await stage.model.waitUntil((journal) => journal.length >= 10);
      stage.temporal.refuse();
      await delay(OUTAGE_MS);
      stage.temporal.heal();
      await expectAllCompleted(stage, [...loopIds, ...slow.loopIds]);
    } finally {
      await stage.close();
    }
  }, 240_000);

  it('R28, R46: Temporal’s server is killed and started again on its data', async () => {
    const temporal = await startOwnTemporal();
    const stage = await openStage({ temporalAddress: temporal.address });
    try {
      await stage.startWorker();
      const { loopIds } = await startLoops(stage, 6, { message: 'go slow' });
      await stage.model.waitUntil((journal) => journal.length >= 3);
      await temporal.restart();
      await expectAllCompleted(stage, loopIds);
    } finally {
      await stage.close();
      await temporal.close();
    }
  }, 240_000);

  it('R33, R46: the model hangs, before and inside its answer, or dies in mid-stream; no text of those attempts is seen', async () => {
    const half = (text: string) => textAnswer(text).steps.slice(0, 3);
    const calls = toolCallsAnswer([{ name: 'read_shelf' }]).steps.slice(0, 2);
    const stage = await openStage({
      settings: { firstTokenTimeout: 1, progressTimeout: 1 },
      script: [
        { match: { bodyContains: 'loop-0' }, steps: [{ kind: 'hold' }] },
        { match: { bodyContains: 'loop-1' }, steps: [...half('A half answer that'), { kind: 'hold' }] },
        { match: { bodyContains: 'loop-2' }, steps: [...half('A half answer that'), { kind: 'destroy' }] },
        { match: { bodyContains: 'loop-3' }, steps: [...calls, { kind: 'destroy' }] },
        { match: { bodyContains: 'loop-4' }, steps: [{ kind: 'destroy' }] },
      ],
    });
    try {
      await stage.startWorker();
      const { loopIds } = await startLoops(stage, 5);
      await expectAllCompleted(stage, loopIds);
      for (const loopId of loopIds) expect((await stage.client.get(loopId)).counters.steps).toBe(2);
      expect((await stage.model.journal()).length).toBe(15);
    } finally {
      await stage.close();
    }
  }, 240_000);
});
