/** Before a rollout: do running workflows replay with the new code, and which running loops have agents that are now defined otherwise? */

import { type Client, isGrpcServiceError } from '@temporalio/client';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Agent } from './agents/agent';
import type { Database } from './db/database';
import { type LiveDefinition, readLiveDefinitions } from './db/loops/read-definitions';
import { messageOf, SolidLoopError } from './domain/errors';
import { workflowSource } from './workflow-source';

const PARALLEL_HISTORIES = 10;

export interface PreflightOptions {
  readonly client: Client;
  readonly db: Database;
  readonly agents: readonly Agent[];
  readonly taskQueue: string;
  /** @default what the build made, or the sources */
  readonly workflows?: Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'>;
}

export interface ReplayFailure {
  readonly workflowId: string;
  readonly runId: string;
  readonly error: string;
}

/** Live loops whose agent is another now than when they were first opened. `now` is null where no agent has the name. */
export interface DefinitionDifference {
  readonly agentName: string;
  readonly loops: number;
  readonly startedWith: string;
  readonly now: string | null;
}

export interface PreflightReport {
  /** Running workflows that were replayed, failures among them. */
  readonly replayed: number;
  readonly failures: readonly ReplayFailure[];
  readonly differences: readonly DefinitionDifference[];
}

/**
 * Replays what runs now on this task queue; changes nothing.
 * @throws TemporalUnavailable, DatabaseUnavailable
 */
export async function preflight(options: PreflightOptions): Promise<PreflightReport> {
  const definitions = await readLiveDefinitions(options.db, options.taskQueue);
  const replays = await replayRunning(options);
  return { ...replays, differences: differencesOf(definitions, options.agents) };
}

async function replayRunning({
  client,
  taskQueue,
  workflows = workflowSource(),
}: PreflightOptions): Promise<Omit<PreflightReport, 'differences'>> {
  const query = `WorkflowType = 'agentLoop' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue.replaceAll("'", "''")}'`;
  const histories = client.workflow.list({ query }).intoHistories({ concurrency: PARALLEL_HISTORIES });
  const failures: ReplayFailure[] = [];
  let replayed = 0;
  try {
    for await (const { workflowId, runId, error } of Worker.runReplayHistories(workflows, histories)) {
      replayed += 1;
      if (error !== undefined) failures.push({ workflowId, runId, error: messageOf(error) });
    }
  } catch (error) {
    if (!isGrpcServiceError(error) && !(error instanceof Error && isGrpcServiceError(error.cause))) throw error;
    throw new SolidLoopError('TemporalUnavailable', `the histories of running workflows could not be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return { replayed, failures };
}

function differencesOf(definitions: readonly LiveDefinition[], agents: readonly Agent[]): readonly DefinitionDifference[] {
  const hashes = new Map(agents.map((agent) => [agent.name, agent.definitionHash]));
  return definitions.flatMap(({ agentName, definitionHash, loops }) => {
    const now = hashes.get(agentName) ?? null;
    if (now !== null && (definitionHash === null || definitionHash === now)) return [];
    return [{ agentName, loops, startedWith: definitionHash ?? 'not opened yet', now }];
  });
}
