/** The events of a loop as people read them: calls on the wire and what was asked of the loop, without bodies. */

import { type EventId, type LoopId, toId } from '../../domain/ids';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';

export interface LoopEvent {
  readonly id: EventId;
  readonly kind: string;
  readonly name: string | null;
  readonly turnNumber: number | null;
  readonly method: string | null;
  readonly url: string | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationSeconds: number | null;
  readonly createdAt: Date;
}

/** In order. @throws DatabaseUnavailable */
export async function readEvents(db: Database, loopId: LoopId): Promise<readonly LoopEvent[]> {
  const rows = await namingUnavailable(() =>
    db
      .selectFrom('events')
      .select(['id', 'kind', 'name', 'turn_number', 'method', 'url', 'status', 'error', 'duration', 'created_at'])
      .where('loop_id', '=', loopId)
      .orderBy('id')
      .execute(),
  );
  return rows.map(({ id, turn_number, duration, created_at, ...same }) => ({
    ...same,
    id: toId<EventId>(id),
    turnNumber: turn_number,
    durationSeconds: duration,
    createdAt: created_at,
  }));
}
