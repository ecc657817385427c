/** The hand-written loop of this folder, with a worker and a client in this process. */

import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { Pool } from 'pg';
import { stackAddress, type Subject } from '../compare';
import { BASELINE_TABLE, createBaselineActivities } from './activities';

export async function openBaseline(baseURL: string): Promise<Subject> {
  const { databaseUrl, temporalAddress: address } = stackAddress();
  const pool = new Pool({ connectionString: databaseUrl, max: 20 });
  await pool.query(BASELINE_TABLE);
  const taskQueue = `bench-${randomUUID()}`;
  const [native, connection] = await Promise.all([NativeConnection.connect({ address }), Connection.connect({ address })]);
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowsPath: require.resolve('./workflow'),
    activities: createBaselineActivities(pool, baseURL),
  });
  const running = worker.run();
  const client = new Client({ connection });
  return {
    name: 'baseline',
    runLoop: async () => {
      const id = randomUUID();
      await client.workflow.execute('baselineLoop', { workflowId: id, taskQueue, args: [id] });
    },
    close: async () => {
      worker.shutdown();
      await running;
      await Promise.all([native.close(), connection.close(), pool.end()]);
    },
  };
}
