/** Statements on `live_parts`: an unlogged table, written with asynchronous commit and never inside a canonical transaction. */

import { sql } from 'kysely';
import { type Generation, type LoopId, toId } from '../../domain/ids';
import type { LivePart } from '../../domain/live-part';
import type { Database } from '../database';

export interface NewLiveParts {
  readonly loopId: LoopId;
  readonly generation: Generation;
  readonly parts: readonly LivePart[];
}

/**
 * One statement for all. `offset` is the number of the first part within its generation, given here: two processes that write for one loop
 * get different ones. `taken`: the other was faster, try again. A loop that is not in the answer is not watched: nothing was written for it.
 */
export async function insertLiveParts(db: Database, given: readonly NewLiveParts[]): Promise<ReadonlyMap<LoopId, 'written' | 'taken'>> {
  const { rows } = await sql<{ loop_id: string; is_written: boolean }>`
    with quick as materialized (
      select set_config('synchronous_commit', 'off', true)
    ), given as (
      select * from unnest(
        ${given.map((each) => each.loopId)}::bigint[], ${given.map((each) => each.generation)}::bigint[], ${given.map((each) => JSON.stringify(each.parts))}::text[]
      ) as g (loop_id, generation, parts)
    ), watched as (
      select given.* from quick, given join solid_loop.loops l on l.id = given.loop_id
      where l.observe_enabled or l.observed_until > clock_timestamp()
    ), written as (
      insert into solid_loop.live_parts (loop_id, generation, "offset", parts)
      select w.loop_id, w.generation, coalesce((
        select p."offset" + json_array_length(p.parts) from solid_loop.live_parts p
        where p.loop_id = w.loop_id and p.generation = w.generation order by p."offset" desc limit 1), 0), w.parts::json
      from watched w order by w.loop_id, w.generation
      on conflict do nothing
      returning loop_id
    )
    select w.loop_id, exists (select from written where written.loop_id = w.loop_id) as is_written from watched w`.execute(db);
  return new Map(rows.map((row) => [toId<LoopId>(row.loop_id), row.is_written ? 'written' : 'taken'] as const));
}

/** Loops that somebody watches for a time. Those with `observe_enabled` are known by their row. */
export async function findWatchedLoops(db: Database): Promise<readonly LoopId[]> {
  const { rows } = await sql<{ id: string }>`select id from solid_loop.loops where observed_until > clock_timestamp()`.execute(db);
  return rows.map((row) => toId<LoopId>(row.id));
}

export async function sweepLiveParts(db: Database, olderThanSeconds: number): Promise<void> {
  await sql`delete from solid_loop.live_parts where created_at < clock_timestamp() - make_interval(secs => ${olderThanSeconds}::float8)`.execute(
    db,
  );
}
