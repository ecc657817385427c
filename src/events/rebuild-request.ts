/** Gives a request of the wire log back as it was sent. */

import { sql } from 'kysely';
import type { EventId } from '../domain/ids';
import { SolidLoopError } from '../domain/errors';
import type { Database } from '../db/database';
import { readMessageBodies, readMessageHashes } from '../db/wire/events';
import { joinBody } from './wire-body';

/**
 * The exact body, byte for byte (known secrets apart). Undefined where the event has no request.
 * @throws LoopNotFound where the event, or a part of it, is not there (any more)
 */
export async function rebuildRequest(db: Database, eventId: EventId): Promise<string | undefined> {
  const { rows } = await sql<{
    request: string | null;
  }>`select request::text as request from solid_loop.events where id = ${eventId}::bigint`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new SolidLoopError('LoopNotFound', `event ${eventId} of the wire log is not there`, { field: 'event' });
  if (row.request === null) return undefined;
  return joinBody(row.request, await readMessageBodies(db, await readMessageHashes(db, eventId)));
}
