/** Finds the call's tool and makes what its body is given (R53, R76, R81). */

import type { AttemptGuard, ToolExecutionContext, ToolMiddleware } from '../../agents/middleware';
import { isPlainObject } from '../../agents/standard-schema';
import type { ToolContext } from '../../agents/tool';
import { SolidLoopError } from '../../domain/errors';
import { idempotencyKeyOf } from '../../domain/tool-call';
import type { StateChange } from '../ports';
import { findTool } from '../find-tool';
import type { ToolRun } from '../tool-run';

export function agentInitialization<Answer>(run: ToolRun<Answer>): ToolMiddleware {
  return async (context, next) => {
    if (!context.call.isExecuted) {
      context.tool ??= findToolOf(context);
      context.toolContext = await createToolContext(context, run);
    }
    await next();
  };
}

/** @throws UnknownTool, which is retried: another version of the worker may know it (R46) */
function findToolOf({ agent, call }: ToolExecutionContext): ToolExecutionContext['tool'] {
  const tool = findTool(agent, call.name);
  if (tool !== undefined) return tool;
  const known = (agent.tools ?? []).map(({ name }) => name).join(', ') || 'none';
  throw new SolidLoopError('UnknownTool', `agent "${agent.name}" has no tool "${call.name}" on this worker; it has: ${known}`, {
    field: call.name,
  });
}

async function createToolContext<Answer>({ agent, loop, call, guard }: ToolExecutionContext, run: ToolRun<Answer>): Promise<ToolContext> {
  return {
    signal: guard.signal,
    idempotencyKey: idempotencyKeyOf(call.key),
    heartbeat: run.ports.heartbeat,
    loop,
    agentName: agent.name,
    principal: await agent.principal?.({ loop }),
    state: loop.state,
    setState: (change) => keepStateChange(run.stateChanges, change),
    startLoop: childStarter(call.key, guard, run),
  };
}

/** A repeat of the call, by another attempt, derives the same keys (R53, R77). */
function childStarter<Answer>(callKey: string, guard: AttemptGuard, { ports }: ToolRun<Answer>): ToolContext['startLoop'] {
  let starts = 0;
  return async ({ key, ...start }) => {
    guard.signal.throwIfAborted();
    starts += 1;
    return ports.startLoop({ ...start, key: `${idempotencyKeyOf(callKey)}:${key ?? starts}` });
  };
}

/** The list is frozen with the checkpoint: a later change could not be kept, and would be lost without a word. */
function keepStateChange(changes: StateChange[], change: StateChange): void {
  if (Object.isFrozen(changes))
    throw new SolidLoopError('InvalidInput', 'setState was called after the tool had ended; await what calls it');
  if (typeof change !== 'function' && !isPlainObject(change))
    throw new SolidLoopError('InvalidInput', 'setState takes an object or a function of the current state');
  changes.push(change);
}
