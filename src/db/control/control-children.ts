/** Passes stop and freeze down to child loops, only if asked (R78). No transaction locks two loops: each child has its own. */

import { createHash } from 'node:crypto';
import type { KeyedControlRequest } from '../../domain/control';
import { type LoopId, toId } from '../../domain/ids';
import { KEY_LIMIT_CHARS } from '../../domain/input-checks';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';

/**
 * A repeat of the parent's request passes down again: a child that has it already gives its stored answer.
 * @throws DatabaseUnavailable, and what `control` throws
 */
export async function controlChildren<Outcome>(
  db: Database,
  parentId: LoopId,
  request: KeyedControlRequest,
  control: (db: Database, loopId: LoopId, request: KeyedControlRequest) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  if (!('children' in request) || request.children !== true) return [];
  const children = await namingUnavailable(() =>
    db.selectFrom('loops').select('id').where('parent_loop_id', '=', parentId).orderBy('id').execute(),
  );
  const outcomes: Outcome[] = [];
  for (const { id } of children) outcomes.push(await control(db, toId<LoopId>(id), { ...request, key: childKey(parentId, request.key) }));
  return outcomes;
}

function childKey(parentId: LoopId, key: string): string {
  const derived = `parent-${parentId}:${key}`;
  return derived.length <= KEY_LIMIT_CHARS ? derived : `parent-${parentId}:sha256:${createHash('sha256').update(key).digest('hex')}`;
}
