/** Rows that the tests of live streams need, written directly: what the protocol would have left. */

import type { Insertable } from 'kysely';
import type { Database } from '../../../src/db/database';
import type { Loops, Messages } from '../../../src/db/tables/generated';
import { type LoopId, type MessageId, toId } from '../../../src/domain/ids';

let count = 0;

export async function insertLoopRow(db: Database, values: Partial<Insertable<Loops>> = {}): Promise<LoopId> {
  count += 1;
  const key = `live-${process.pid}-${count}`;
  const row = await db
    .insertInto('loops')
    .values({ workflow_id: key, start_key: key, task_queue: 'solidloop', agent_name: 'librarian', status: 'running', ...values })
    .returning('id')
    .executeTakeFirstOrThrow();
  return toId<LoopId>(row.id);
}

export async function insertMessageRow(db: Database, loopId: LoopId, values: Partial<Insertable<Messages>>): Promise<MessageId> {
  const row = await db
    .insertInto('messages')
    .values({ loop_id: loopId, role: 'user', status: 'success', ...values })
    .returning('id')
    .executeTakeFirstOrThrow();
  return toId<MessageId>(row.id);
}
