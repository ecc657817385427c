/** Deletes old rows of the wire log by reference: a request that is kept can still be rebuilt, a message that nobody refers to goes. */

import { sql } from 'kysely';
import { type EventId, type LoopId, toId } from '../../domain/ids';
import { WIRE_KINDS } from '../../domain/wire';
import type { Database, DatabaseTransaction } from '../database';
import { readMessageHashes } from './events';

export interface PrunedWire {
  readonly events: number;
  readonly messages: number;
}

/** A message told of a use within this time may be about to be referred to by an event that is not committed yet. */
const MESSAGE_REST = sql`interval '2 hours'`;

/** Deletes wire events that were written before `olderThan`, loop by loop, each in a transaction of its own, then the messages left over. */
export async function pruneWire(db: Database, options: { readonly olderThan: Date }): Promise<PrunedWire> {
  const loops = await db
    .selectFrom('events')
    .select('loop_id')
    .distinct()
    .where('created_at', '<', options.olderThan)
    .where('kind', 'in', WIRE_KINDS)
    .execute();
  let events = 0;
  for (const { loop_id } of loops)
    events += await db.transaction().execute((transaction) => pruneLoop(transaction, toId<LoopId>(loop_id), options.olderThan));
  return { events, messages: await deleteUnreferencedMessages(db) };
}

async function pruneLoop(transaction: DatabaseTransaction, loopId: LoopId, olderThan: Date): Promise<number> {
  const old = await transaction
    .selectFrom('events')
    .select('id')
    .where('loop_id', '=', loopId)
    .where('created_at', '<', olderThan)
    .where('kind', 'in', WIRE_KINDS)
    .orderBy('id')
    .forUpdate()
    .execute();
  const ids = old.map((row) => row.id);
  if (ids.length === 0) return 0;
  await makeWhole(transaction, loopId, ids);
  await transaction
    .deleteFrom('events')
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .execute();
  return ids.length;
}

/** Events that are kept but build on one that goes hold all their hashes from now on. The lock on the old rows keeps new ones out. */
async function makeWhole(transaction: DatabaseTransaction, loopId: LoopId, ids: readonly string[]): Promise<void> {
  const { rows: dependants } = await sql<{ id: string }>`
    select id from solid_loop.events
    where loop_id = ${loopId}::bigint and base_event_id = any(${ids}::bigint[]) and not id = any(${ids}::bigint[])`.execute(transaction);
  for (const { id } of dependants) {
    const hashes = await readMessageHashes(transaction, toId<EventId>(id));
    await sql`
      update solid_loop.events set base_event_id = null, base_length = null, message_hashes = ${hashes}::bytea[] where id = ${id}::bigint`.execute(
      transaction,
    );
  }
}

/** Messages that no request refers to, told of no use for two hours. Answers how many. */
export async function deleteUnreferencedMessages(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from solid_loop.wire_messages kept
    where kept.created_at < clock_timestamp() - ${MESSAGE_REST}
      and not exists (select from (select unnest(message_hashes) as hash from solid_loop.events) used where used.hash = kept.hash)`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}
