/** Loops for a list, newest first. */

import type { Loop, LoopStatus, Subject } from '../../domain/loop';
import type { Database } from '../database';
import { toLoop } from '../repositories/loops.repository';
import { namingUnavailable } from '../transaction';

/** All that are given must match. */
export interface LoopFilter {
  readonly agent?: string;
  readonly subject?: Subject;
  readonly status?: readonly LoopStatus[];
  /** @default 50 */
  readonly limit?: number;
}

const DEFAULT_LIMIT = 50;

/** @throws DatabaseUnavailable */
export async function findLoops(db: Database, { agent, subject, status, limit = DEFAULT_LIMIT }: LoopFilter): Promise<readonly Loop[]> {
  const rows = await namingUnavailable(() =>
    db
      .selectFrom('loops')
      .selectAll()
      .$if(agent !== undefined, (query) => query.where('agent_name', '=', agent ?? ''))
      .$if(subject !== undefined, (query) =>
        query.where('subject_type', '=', subject?.type ?? '').where('subject_id', '=', subject?.id ?? ''),
      )
      .$if(status !== undefined, (query) => query.where('status', 'in', [...(status ?? [])]))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  );
  return rows.map(toLoop);
}
