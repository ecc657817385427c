/** Ends of loops that somebody was not told of, since a worker died or the receiver was away. */

import type { Database } from '../database';
import { findUntoldLoops } from '../loops/finished-loops';
import type { ReconcileOptions } from './reconcile-options';

/** Answers how many were told, or would be in a dry run. */
export async function tellFinishes(
  db: Database,
  { namespaceId, finishes, dryRun }: Pick<ReconcileOptions, 'namespaceId' | 'finishes' | 'dryRun'>,
): Promise<number> {
  if (finishes === undefined || finishes.agents.length === 0) return 0;
  const untold = await findUntoldLoops(db, { namespaceId, agents: finishes.agents });
  if (dryRun) return untold.length;
  let told = 0;
  for (const loopId of untold) if (await finishes.tell(loopId)) told += 1;
  return told;
}
