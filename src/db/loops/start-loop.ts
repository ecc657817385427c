/** Starts a loop by its row: in a transaction of our own, or in the host's, so that both are committed or none (R77). */

import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { StartInput } from '../../domain/agent-loop-input';
import { checkStartInput } from '../../domain/check-start-input';
import { SolidLoopError } from '../../domain/errors';
import { type LoopId, toId } from '../../domain/ids';
import type { LoopStatus } from '../../domain/loop';
import type { Database, DatabaseTransaction } from '../database';
import { inHostTransaction, type QueryExecutor } from '../postgres/host-transaction';
import { insertLoop as insertLoopRow } from './insert-loop';
import { CHANNELS } from '../postgres/notify';
import { inTransaction } from '../transaction';

export type { QueryExecutor } from '../postgres/host-transaction';

export interface StartLoopOptions extends StartInput {
  readonly taskQueue: string;
  /** The loop that started this one, from a tool or hook (R78). */
  readonly parentLoopId?: LoopId;
  /** W3C trace context of the start. */
  readonly traceParent?: string;
}

export interface StartedLoop {
  readonly loopId: LoopId;
  readonly workflowId: string;
  /** False: the start key was known, and this is the loop as it stands. */
  readonly isNew: boolean;
  readonly status: LoopStatus;
}

/**
 * Inside the host's transaction. When that commits, a worker of the queue launches the loop; nothing is to be done after it.
 * @throws InvalidInput with the field; what the driver throws: with a snapshot that is older than another start under the same key, a
 * serialisation failure, as for any such write
 */
export async function insertLoop(executor: QueryExecutor, options: StartLoopOptions): Promise<StartedLoop> {
  return inHostTransaction(executor, async (trx) => {
    const started = await insertOrFind(trx, options);
    if (started.isNew) await sql`select pg_notify(${CHANNELS.launch}, ${options.taskQueue})`.execute(trx);
    return started;
  });
}

/**
 * In a transaction of its own. The caller starts the workflow; where it dies before, a worker launches the loop within seconds.
 * @throws InvalidInput with the field; DatabaseUnavailable
 */
export function startLoop(db: Database, options: StartLoopOptions): Promise<StartedLoop> {
  return inTransaction(db, (trx) => insertOrFind(trx, options));
}

async function insertOrFind(
  trx: DatabaseTransaction,
  { taskQueue, parentLoopId, traceParent, ...input }: StartLoopOptions,
): Promise<StartedLoop> {
  const start = checkStartInput(input);
  const workflowId = `loop-${uuidv7()}`;
  const origin = { ...(parentLoopId === undefined ? {} : { parentLoopId }), ...(traceParent === undefined ? {} : { traceParent }) };
  const loopId = await insertLoopRow(trx, { workflowId, taskQueue, namespaceId: null, start, ...origin });
  if (loopId !== undefined) return { loopId, workflowId, isNew: true, status: 'init' };
  return findStarted(trx, start.key ?? workflowId);
}

async function findStarted(trx: DatabaseTransaction, key: string): Promise<StartedLoop> {
  const row = await trx.selectFrom('loops').select(['id', 'workflow_id', 'status']).where('start_key', '=', key).executeTakeFirst();
  if (row !== undefined) return { loopId: toId<LoopId>(row.id), workflowId: row.workflow_id, isNew: false, status: row.status };
  throw new SolidLoopError('LoopExists', `the loop with start key "${key}" was deleted at this moment: start it again`, { field: 'key' });
}
