/** Inserts the loop, or finds it, by workflow id; says what is next. */

import { Context } from '@temporalio/activity';
import type { AgentLoopInput } from '../domain/agent-loop-input';
import { checkAgentLoopInput } from '../domain/check-agent-loop-input';
import { messageOf, SolidLoopError } from '../domain/errors';
import type { Loop } from '../domain/loop';
import type { OpenedLoop } from '../domain/planned-step';
import { openLoop } from '../db/loops/open-loop';
import type { ActivityDependencies } from './dependencies';
import { wantsFinish } from './finished/tell-finished';
import { planStep } from './plan-step';
import { withMappedFailures } from './with-mapped-failures';
import { reach } from './reach';

export const createOpenLoop = (deps: ActivityDependencies) =>
  withMappedFailures(async ({ input }: { readonly input: AgentLoopInput }): Promise<OpenedLoop> => {
    const { workflowExecution, taskQueue } = Context.current().info;
    const checked = checkAgentLoopInput(input);
    if ('agent' in checked && deps.agents.find(checked.agent) === undefined) {
      throw new SolidLoopError('StartRefused', `no agent is named "${checked.agent}"; there are: ${deps.agents.names.join(', ')}`, {
        field: 'agent',
      });
    }
    await reach('open:before');
    const answer = await openLoop(deps.db, {
      workflowId: workflowExecution?.workflowId ?? '',
      runId: workflowExecution?.runId ?? '',
      taskQueue,
      namespaceId: deps.namespaceId,
      definitionHashOf: (name) => deps.agents.find(name)?.definitionHash,
      ...('loopId' in checked ? { loopId: checked.loopId } : { start: checked }),
    });
    await reach('open:after');
    const { loop } = answer;
    const subject = searchSubjectOf(deps, loop);
    return {
      loopId: loop.id,
      agent: loop.agentName,
      upsertSearchAttributes: deps.hasSearchAttributes,
      continueAsNewEvents: deps.settings.continueAsNewEvents,
      ...(subject === undefined ? {} : { subject }),
      ...(wantsFinish(deps, loop.agentName) ? { notifiesFinish: true } : {}),
      next: planStep(deps, answer),
    };
  });

/** Of a keyword in Temporal's visibility store. */
const KEYWORD_LIMIT_CHARS = 255;

/** The user's function decorates what people search by: its failure, or an answer that Temporal would refuse, stops no loop. */
function searchSubjectOf({ agents, logger }: ActivityDependencies, loop: Loop): string | undefined {
  try {
    const subject: unknown = agents.find(loop.agentName)?.searchSubject?.({ loop });
    return typeof subject === 'string' ? subject.slice(0, KEYWORD_LIMIT_CHARS) : undefined;
  } catch (error) {
    logger.warn({ loop: loop.id, error: messageOf(error) }, 'searchSubject failed: the loop has no subject in Temporal');
    return undefined;
  }
}
