/** Loops whose agent has a hook for messages that some of their messages have not had (R47). */

import { sql } from 'kysely';
import { type LoopId, toId } from '../../domain/ids';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';
import { isOfNamespace } from './find-live-loops';
import type { ReconcileOptions } from './reconcile-options';

/** The worker that wrote a message runs its hook itself, within the hook's deadline. */
const UNHOOKED_SECONDS = 120;

/** Answers how many loops. A hook may run twice for a message: its id is the key. */
export async function finishHooks(
  db: Database,
  { namespaceId, dryRun, hooks }: Pick<ReconcileOptions, 'namespaceId' | 'dryRun' | 'hooks'>,
): Promise<number> {
  if (hooks === undefined || hooks.agents.length === 0) return 0;
  const { rows } = await namingUnavailable(() =>
    sql<{ id: string }>`
      select l.id from solid_loop.loops l
      where l.agent_name = any(${[...hooks.agents]}::text[]) and ${isOfNamespace(namespaceId)} and exists (
        select from solid_loop.messages m
        where m.loop_id = l.id and m.hooked_at is null and not m.is_hidden
          and m.updated_at < clock_timestamp() - make_interval(secs => ${UNHOOKED_SECONDS}))
      order by l.id`.execute(db),
  );
  if (!dryRun) for (const { id } of rows) await hooks.finish(toId<LoopId>(id));
  return rows.length;
}
