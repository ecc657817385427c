/** Runs `onMessageCreated` for each canonical message that has not had it; its failure is an event, never a failed turn (R40, R47). */

import type { Agent } from '../agents/agent';
import { runHook } from '../agents/run-hook';
import { controlLoop } from '../db/control/control-loop';
import { wakeControlled } from '../db/control/wake-controlled';
import { findUnhookedMessages, markHooked } from '../db/loops/mark-hooked';
import { insertEvent } from '../db/repositories/events.repository';
import type { Loop } from '../domain/loop';
import type { ActivityDependencies } from './dependencies';
import { untilDatabaseAnswers } from './until-database-answers';

export async function runMessageHooks(deps: ActivityDependencies, agent: Agent, loop: Loop): Promise<void> {
  const hook = agent.hooks?.onMessageCreated;
  if (hook === undefined) return;
  const hookControl = {
    control: async (request: Parameters<typeof controlLoop>[2], key: string) => {
      const keyed = { ...request, key, by: `hook of ${agent.name}` };
      const outcome = await untilDatabaseAnswers(() => controlLoop(deps.db, loop.id, keyed), { seconds: deps.settings.hookTimeout });
      await wakeControlled(deps.temporal, outcome);
      return outcome.answer;
    },
  };
  for (const message of await findUnhookedMessages(deps.db, loop.id)) {
    const outcome = await runHook(() => hook({ loop, message, messageId: message.id }, hookControl), deps.settings.hookTimeout);
    if (outcome.kind !== 'done') {
      deps.logger.warn({ loop: loop.id, message: message.id }, 'onMessageCreated failed');
      await insertEvent(deps.db, {
        loopId: loop.id,
        messageId: message.id,
        kind: 'hook-failed',
        name: 'onMessageCreated',
        error: outcome.message,
      });
    }
    await markHooked(deps.db, [message.id]);
  }
}
