/** Runs one claimed tool call through its stack, to the one tool message that answers it. */

import { adjustStack, type StackAdjuster } from '../agents/adjust-stack';
import type { AttemptGuard, ToolExecutionContext } from '../agents/middleware';
import { SolidLoopError } from '../domain/errors';
import { createDefaultToolStack } from './default-tool-stack';
import { guardPorts } from './guard-ports';
import type { ToolPorts } from './ports';
import { createToolExecutionContext, createToolRun, type ClaimedToolCall, type ToolRun } from './tool-run';

export interface ToolStackRun<Answer> {
  readonly claimed: ClaimedToolCall;
  readonly ports: ToolPorts<Answer>;
  /** The config's change of the stack. The agent's own comes after it. */
  readonly adjust?: StackAdjuster<ToolExecutionContext>['adjust'];
}

/**
 * Answers what the port that wrote the response answered.
 * @throws the signal's reason, LostLease, or another error that comes again; a final failure of the tool is in the tables
 * @throws ConfigError where the stack cannot be built, or ended without a response
 */
export async function runToolStack<Answer>({ claimed, ports, adjust }: ToolStackRun<Answer>): Promise<Answer> {
  const { agent, call, guard } = claimed;
  const run = createToolRun(guardPorts(ports), claimed);
  const { stack, settlesAtOnce } = createDefaultToolStack(run);
  const changed = adjustStack(stack, [
    { owner: 'the config: middleware.tools', adjust },
    { owner: `agent "${agent.name}": middleware.tools`, adjust: agent.middleware?.tools },
  ]);
  run.settlesAtOnce = settlesAtOnce(changed);
  try {
    await changed.run(createToolExecutionContext(claimed, run.stateChanges), untilAnswered(guard, run));
  } catch (error) {
    if (run.answer === undefined) throw error;
    ports.onErrorAfterResponse(error);
  }
  if (run.answer !== undefined) return run.answer.value;
  throw new SolidLoopError(
    'ConfigError',
    `the middlewares of the call of "${call.name}" ended without a response: one of them did not call next`,
  );
}

/** Once the response is written there is nothing left to protect, and nothing after a commit changes its outcome (R24). */
function untilAnswered<Answer>(guard: AttemptGuard, run: ToolRun<Answer>): AttemptGuard {
  return {
    signal: guard.signal,
    assertHeld: () => {
      if (run.answer === undefined) guard.assertHeld();
    },
  };
}
