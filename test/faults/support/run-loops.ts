/** Starts loops and brings them to their ends, with all invariants checked. */

import type { OwnStage } from './open-stage';

export interface StartedLoops {
  readonly loopIds: readonly string[];
  readonly workflowIds: readonly string[];
}

export async function startLoops(stage: OwnStage, count: number, { message = 'go', agent = 'worker' } = {}): Promise<StartedLoops> {
  const started = await Promise.all(
    Array.from({ length: count }, (_, index) => stage.client.start({ agent, message: `${message} loop-${index}-${agent}` })),
  );
  return { loopIds: started.map(({ loopId }) => loopId), workflowIds: started.map(({ workflowId }) => workflowId) };
}

export async function expectAllCompleted(stage: OwnStage, loopIds: readonly string[]): Promise<void> {
  await stage.waitForEnd(loopIds);
  expect(await stage.violations(['completed'])).toEqual([]);
}
