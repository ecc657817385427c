/** Answers "why is it not moving": from the tables and from Temporal, one cause and what to do next. */

import type { Client } from '@temporalio/client';
import type { LoopId } from '../domain/ids';
import type { Loop, LoopStatus } from '../domain/loop';
import type { Database } from '../db/database';
import { type Explanation, explain } from './explain';
import { readLoopSituation } from './read-loop-situation';
import { readTemporalSituation } from './read-temporal-situation';
import type { WhyFacts } from './why-facts';

export interface Why extends Explanation {
  readonly loopId: LoopId;
  readonly workflowId: string;
  readonly status: LoopStatus;
  /** What it was answered from. */
  readonly facts: WhyFacts;
}

export interface WhySources {
  readonly db: Database;
  readonly temporal: Client;
}

/** @throws LoopNotFound. That Temporal cannot be asked is part of the answer. */
export async function whyLoop({ db, temporal }: WhySources, { id: loopId }: Pick<Loop, 'id'>): Promise<Why> {
  const { now, loop } = await readLoopSituation(db, loopId);
  const facts: WhyFacts = { now, loop, temporal: await readTemporalSituation(temporal, loop.workflowId, loop.taskQueue) };
  const { workflowId, status } = loop;
  return { loopId, workflowId, status, facts, ...explain(facts) };
}
