/** Tells everybody who wants to know that a loop has ended: the agent's hook, the config's, the webhook. Each at least once. */

import type { Agent, LoopFinishedEvent } from '../../agents/agent';
import { type HookOutcome, runHook } from '../../agents/run-hook';
import { type FinishedLoop, findFinishedLoop, markFinishTold, noteNotTold, noteTold } from '../../db/loops/finished-loops';
import type { LoopId } from '../../domain/ids';
import type { Loop } from '../../domain/loop';
import type { ActivityDependencies } from '../dependencies';
import { sendWebhook } from './send-webhook';

type TellDependencies = Pick<ActivityDependencies, 'db' | 'agents' | 'config' | 'settings' | 'logger'>;

interface Receiver {
  /** Kept in the loop's events: who was told. */
  readonly name: string;
  readonly tell: () => unknown;
}

/** True where the end of this agent's loops is to be told to anybody. */
export function wantsFinish({ agents, config }: Pick<ActivityDependencies, 'agents' | 'config'>, agentName: string): boolean {
  return config.webhook !== undefined || config.onLoopFinished !== undefined || agents.find(agentName)?.hooks?.onLoopFinished !== undefined;
}

/**
 * Answers true where nobody is left to be told. A receiver that was told is not told again for the same end, unless its process died
 * between the two: the key is the same then.
 * @throws DatabaseUnavailable
 */
export async function tellFinished(deps: TellDependencies, loopId: LoopId): Promise<boolean> {
  const finished = await findFinishedLoop(deps.db, loopId);
  if (finished === undefined) return true;
  const waiting = receiversOf(deps, finished).filter(({ name }) => !finished.told.includes(name));
  const outcomes = await Promise.all(waiting.map((receiver) => tellOne(deps, finished.loop, receiver)));
  if (!outcomes.every(({ kind }) => kind === 'done')) return false;
  await markFinishTold(deps.db, loopId, finished.loop.generation);
  return true;
}

function receiversOf({ agents, config }: TellDependencies, finished: FinishedLoop): readonly Receiver[] {
  const { loop, answer } = finished;
  const key = `${loop.id}-${loop.generation}`;
  const event: LoopFinishedEvent = { loop, answer, key };
  const { onLoopFinished, webhook } = config;
  const agentHook = hookOfAgent(agents.find(loop.agentName), event);
  return [
    ...(agentHook === undefined ? [] : [{ name: 'agent', tell: agentHook }]),
    ...(onLoopFinished === undefined ? [] : [{ name: 'config', tell: () => onLoopFinished(event) }]),
    ...(webhook === undefined ? [] : [{ name: 'webhook', tell: () => sendWebhook(webhook, key, finished) }]),
  ];
}

/** A worker without the agent cannot know whether it has a hook: another one tells it. */
function hookOfAgent(agent: Agent | undefined, event: LoopFinishedEvent): Receiver['tell'] | undefined {
  if (agent === undefined)
    return () => {
      throw new Error(`this worker knows no agent "${event.loop.agentName}"`);
    };
  const hook = agent.hooks?.onLoopFinished;
  return hook && (() => hook(event));
}

async function tellOne({ db, settings, logger }: TellDependencies, loop: Loop, { name, tell }: Receiver): Promise<HookOutcome> {
  const outcome = await runHook(tell, settings.hookTimeout);
  if (outcome.kind === 'done') await noteTold(db, loop, name);
  else {
    logger.warn({ loop: loop.id, receiver: name, error: outcome.message }, 'the end of a loop could not be told; it is tried again');
    await noteNotTold(db, loop.id, name, outcome.message);
  }
  return outcome;
}
