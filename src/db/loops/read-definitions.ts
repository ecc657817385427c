/** Which definitions of agents live loops were first opened with. */

import type { Database } from '../database';
import { namingUnavailable } from '../transaction';

export interface LiveDefinition {
  readonly agentName: string;
  /** Null: not opened yet. */
  readonly definitionHash: string | null;
  readonly loops: number;
}

/** @throws DatabaseUnavailable */
export async function readLiveDefinitions(db: Database, taskQueue: string): Promise<readonly LiveDefinition[]> {
  const rows = await namingUnavailable(() =>
    db
      .selectFrom('loops')
      .select(['agent_name', 'definition_hash', (select) => select.fn.countAll<string>().as('loops')])
      .where('status', 'in', ['init', 'queued', 'running', 'paused'])
      .where('task_queue', '=', taskQueue)
      .groupBy(['agent_name', 'definition_hash'])
      .orderBy('agent_name')
      .execute(),
  );
  return rows.map((row) => ({ agentName: row.agent_name, definitionHash: row.definition_hash, loops: Number(row.loops) }));
}
