/** One batched look at all loops that a process watches: where each stands, which messages are new, which live parts. */

import { type RawBuilder, sql } from 'kysely';
import { type Generation, type LoopId, type MessageId, toId } from '../../domain/ids';
import type { LivePart } from '../../domain/live-part';
import type { LoopStatus } from '../../domain/loop';
import type { Database } from '../database';
import { CHANNELS } from '../postgres/notify';

/** How far a watcher has seen. */
export interface StreamCursor {
  readonly loopId: LoopId;
  /** Of the last canonical message; 0 at the start. */
  readonly seq: number;
  /** Of the parts seen so far; null: none yet. */
  readonly generation: Generation | null;
  /** Number of the next part within that generation. */
  readonly nextOffset: number;
}

export interface NewMessage {
  readonly id: MessageId;
  readonly seq: number;
  readonly generation: Generation | null;
}

export interface NumberedPart {
  readonly offset: number;
  readonly part: LivePart;
}

export interface StreamNews {
  readonly status: LoopStatus;
  readonly adminFrozen: boolean;
  readonly generation: Generation;
  /** By seq. Visible, and no longer waiting. */
  readonly messages: readonly NewMessage[];
  /** Of the loop's present generation alone, in order. */
  readonly parts: readonly NumberedPart[];
}

interface NewsRow {
  readonly index: number;
  readonly status: LoopStatus;
  readonly admin_frozen: boolean;
  readonly generation: string;
  readonly messages: readonly { readonly id: string; readonly seq: number; readonly generation: string | null }[] | null;
  readonly chunks: readonly { readonly offset: number; readonly parts: readonly LivePart[] }[] | null;
}

/** Answers by the position of the cursor; a loop that is not there has no entry. `withParts` false: the transcript only. */
export async function readStreams(
  db: Database,
  cursors: readonly StreamCursor[],
  withParts: boolean,
): Promise<ReadonlyMap<number, StreamNews>> {
  const { rows } = await sql<NewsRow>`
    select w.index::integer as index, l.status, l.admin_frozen, l.generation, (
      select json_agg(json_build_object('id', m.id::text, 'seq', m.seq, 'generation', m.generation::text) order by m.seq)
      from solid_loop.messages m
      where m.loop_id = l.id and m.seq > w.seq and not m.is_hidden and m.status in ('processing', 'success', 'failed')
    ) as messages, ${withParts ? CHUNKS : sql`null`} as chunks
    from unnest(
      ${cursors.map((cursor) => cursor.loopId)}::bigint[], ${cursors.map((cursor) => cursor.seq)}::integer[],
      ${cursors.map((cursor) => cursor.generation)}::bigint[], ${cursors.map((cursor) => cursor.nextOffset)}::integer[]
    ) with ordinality as w (loop_id, seq, generation, next_offset, index)
    join solid_loop.loops l on l.id = w.loop_id`.execute(db);
  return new Map(rows.map((row) => [row.index - 1, toNews(row, cursors[row.index - 1])]));
}

/** From the chunk that holds the next part on; a chunk that was seen to its end is left out. */
const CHUNKS: RawBuilder<NewsRow['chunks']> = sql`(
  select json_agg(json_build_object('offset', p."offset", 'parts', p.parts) order by p."offset")
  from solid_loop.live_parts p
  cross join lateral (select case when w.generation = l.generation then w.next_offset else 0 end as next_offset) seen
  where p.loop_id = l.id and p.generation = l.generation
    and p."offset" >= coalesce((
      select max(q."offset") from solid_loop.live_parts q where q.loop_id = l.id and q.generation = l.generation and q."offset" <= seen.next_offset), 0)
    and p."offset" + json_array_length(p.parts) > seen.next_offset
)`;

function toNews(row: NewsRow, cursor: StreamCursor | undefined): StreamNews {
  const nextOffset = cursor?.generation === row.generation ? cursor.nextOffset : 0;
  const parts = (row.chunks ?? []).flatMap((chunk) => chunk.parts.map((part, index) => ({ offset: chunk.offset + index, part })));
  return {
    status: row.status,
    adminFrozen: row.admin_frozen,
    generation: toId<Generation>(row.generation),
    messages: (row.messages ?? []).map((message) => ({
      id: toId<MessageId>(message.id),
      seq: message.seq,
      generation: message.generation === null ? null : toId<Generation>(message.generation),
    })),
    parts: parts.filter((part) => part.offset >= nextOffset),
  };
}

/** Says that somebody watches the loop for so long. Workers are told only where nobody did before: NOTIFY is for rare events. */
export async function renewWatch(db: Database, loopId: LoopId, seconds: number): Promise<void> {
  await sql`
    with before as (
      select id, observed_until from solid_loop.loops where id = ${loopId}::bigint and status not in ('completed', 'failed', 'cancelled')
    ), renewed as (
      update solid_loop.loops l set observed_until = clock_timestamp() + make_interval(secs => ${seconds}::float8) from before where l.id = before.id returning l.id
    )
    select pg_notify(${CHANNELS.watch}, before.id::text) from before, renewed
    where before.observed_until is null or before.observed_until <= clock_timestamp()`.execute(db);
}
