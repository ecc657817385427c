/** A loop that a tool starts: with a life of its own, and its parent's id (R78). The same start of the same call is one loop. */

import type { ChildLoop } from '../agents/tool';
import { startLoop } from '../db/loops/start-loop';
import type { StartInput } from '../domain/agent-loop-input';
import { messageOf, SolidLoopError } from '../domain/errors';
import type { Loop } from '../domain/loop';
import type { ActivityDependencies } from './dependencies';

/** @throws StartRefused for an unknown agent; InvalidInput with the field; DatabaseUnavailable */
export async function startChildLoop(deps: ActivityDependencies, parent: Loop, start: StartInput): Promise<ChildLoop> {
  if (deps.agents.find(start.agent) === undefined)
    throw new SolidLoopError('StartRefused', `no agent is named "${start.agent}"; there are: ${deps.agents.names.join(', ')}`, {
      field: 'agent',
    });
  const { taskQueue, traceParent } = parent;
  const started = await startLoop(deps.db, {
    ...start,
    taskQueue,
    parentLoopId: parent.id,
    ...(traceParent === null ? {} : { traceParent }),
  });
  if (started.isNew) {
    const driven = { id: started.loopId, workflowId: started.workflowId, taskQueue, agentName: start.agent };
    await deps.temporal
      .start(driven)
      .catch((error: unknown) =>
        deps.logger.warn(
          { loop: started.loopId, error: messageOf(error) },
          'a child loop was not started at once; a worker starts it within seconds',
        ),
      );
  }
  return started;
}
