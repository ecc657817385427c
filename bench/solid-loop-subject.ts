/** This package as a user runs it: a worker and a client in this process. */

import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import type * as Engine from '../src/index';
import { createBenchAgent } from './bench-agent';
import { stackAddress, type Subject } from './compare';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** `engine`: the module that is measured, this tree's or a changed copy's. */
export async function openSolidLoop(
  engine: typeof Engine,
  { name, baseURL }: { readonly name: string; readonly baseURL: string },
): Promise<Subject> {
  const { databaseUrl, temporalAddress } = stackAddress();
  const db = engine.createDatabase({ connectionString: databaseUrl, onIdleError: () => undefined });
  await engine.migrateToLatest(db);
  await db.destroy();
  const taskQueue = `bench-${randomUUID()}`;
  const app = await engine.createApp({
    databaseUrl,
    temporalAddress,
    namespace: 'default',
    taskQueue,
    config: engine.defineConfig({ agents: [createBenchAgent(baseURL)] }),
    logger: silent,
    makeSchedule: false,
  });
  const running = app.run();
  const client = await engine.SolidLoopClient.connect({ databaseUrl, temporalAddress, taskQueue });
  const connection = await Connection.connect({ address: temporalAddress });
  const temporal = new Client({ connection });
  return {
    name,
    runLoop: async () => {
      const { workflowId } = await client.start({ agent: 'bench', message: 'go on' });
      await temporal.workflow.getHandle(workflowId).result();
    },
    close: async () => {
      app.worker.shutdown();
      await running;
      await Promise.all([client.close(), connection.close()]);
    },
  };
}
