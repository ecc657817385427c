/** Ends of loops and who was told of them: at least once each, under a key of loop and generation; a reopen starts anew. */

import { sql } from 'kysely';
import { type Generation, type LoopId, toId } from '../../domain/ids';
import { isTerminal, type Loop } from '../../domain/loop';
import type { Database } from '../database';
import { insertEvent } from '../repositories/events.repository';
import { findLoop } from '../repositories/loops.repository';
import { namingUnavailable } from '../transaction';

/** The worker that saw the end tells of it itself, within its own deadline. Seconds. */
const SETTLING_SECONDS = 300;
/** A receiver that does not take it for so long is not told any more. Seconds. */
const PATIENCE_SECONDS = 3 * 86_400;
/** Each attempt of the reconciler waits for this part of the age of the end: some thirty attempts in all. */
const WAIT_PART_OF_AGE = 4;

const TOLD = 'loop-finished';
const NOT_TOLD = 'loop-finished-failed';

export interface FinishedLoop {
  readonly loop: Loop;
  /** Text of the last answer. */
  readonly answer: string | null;
  /** Receivers that were told of this end already. */
  readonly told: readonly string[];
}

/**
 * Undefined where there is nothing (more) to tell: the loop goes on, or all were told.
 * @throws DatabaseUnavailable
 */
export function findFinishedLoop(db: Database, loopId: LoopId): Promise<FinishedLoop | undefined> {
  return namingUnavailable(async () => {
    const loop = await findLoop(db, loopId);
    if (loop === undefined || !isTerminal(loop.status)) return undefined;
    const { rows } = await sql<{ answer: string | null; told: string[]; is_over: boolean }>`
      select a.answer, l.finished_notified_at is not null as is_over,
        array(select distinct e.name from solid_loop.events e
          where e.loop_id = l.id and e.kind = ${TOLD} and e.name is not null and e.request ->> 'generation' = cast(l.generation as text)) as told
      from solid_loop.loops l join solid_loop.answers a on a.loop_id = l.id
      where l.id = ${loopId} and l.generation = ${loop.generation}`.execute(db);
    const row = rows[0];
    return row === undefined || row.is_over ? undefined : { loop, answer: row.answer, told: row.told };
  });
}

/** The receiver took this end: by now the loop may have gone on, and ended in another. @throws DatabaseUnavailable */
export const noteTold = (db: Database, { id: loopId, generation }: Pick<Loop, 'id' | 'generation'>, receiver: string): Promise<void> =>
  insertEvent(db, { loopId, kind: TOLD, name: receiver, request: { generation } });

/** The receiver did not take it; it is told again. @throws DatabaseUnavailable */
export const noteNotTold = (db: Database, loopId: LoopId, receiver: string, error: string): Promise<void> =>
  insertEvent(db, { loopId, kind: NOT_TOLD, name: receiver, error });

/** All were told, unless the loop goes on since then. @throws DatabaseUnavailable */
export async function markFinishTold(db: Database, loopId: LoopId, generation: Generation): Promise<void> {
  await namingUnavailable(() =>
    db
      .updateTable('loops')
      .set({ finished_notified_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', loopId)
      .where('generation', '=', generation)
      .where('finished_notified_at', 'is', null)
      .execute(),
  );
}

export interface UntoldSearch {
  readonly namespaceId: string;
  readonly agents: readonly string[];
}

/**
 * Ended loops of a namespace that somebody was not told of, oldest first. `agents`: only loops of these.
 * @throws DatabaseUnavailable
 */
export async function findUntoldLoops(db: Database, { namespaceId, agents }: UntoldSearch): Promise<readonly LoopId[]> {
  const { rows } = await namingUnavailable(() =>
    sql<{ id: string }>`
      select l.id from solid_loop.loops l
      cross join lateral (select extract(epoch from clock_timestamp() - l.status_changed_at) as seconds) age
      where l.status in ('completed', 'failed', 'cancelled') and l.finished_notified_at is null
        and l.status_changed_at > clock_timestamp() - make_interval(secs => ${PATIENCE_SECONDS})
        and coalesce(l.namespace_id, ${namespaceId}) = ${namespaceId}
        and age.seconds > ${SETTLING_SECONDS} and l.agent_name = any(${[...agents]}::text[])
        and not exists (select from solid_loop.events e
          where e.loop_id = l.id and e.kind = ${NOT_TOLD} and e.created_at >= l.status_changed_at
            and e.created_at > clock_timestamp() - make_interval(secs => greatest(cast(${SETTLING_SECONDS} as float8), age.seconds / ${WAIT_PART_OF_AGE})))
      order by l.status_changed_at`.execute(db),
  );
  return rows.map((row) => toId<LoopId>(row.id));
}
