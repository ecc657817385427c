/** Asks a model once: one run of the stack, to an answer or a final failure. */

import type { Agent, ModelSettings } from '../../agents/agent';
import type { AttemptGuard, LlmContext, LlmFailure, LlmStack } from '../../agents/middleware';
import { SolidLoopError } from '../../domain/errors';
import type { TranscriptMessage } from '../../domain/message';
import type { TurnAnswer } from '../../domain/turn';
import type { LlmTurnInput } from './turn-input';

export interface Question {
  readonly input: LlmTurnInput;
  readonly stack: LlmStack;
  readonly model: ModelSettings;
  readonly transcript: readonly TranscriptMessage[];
  /** @default the input's */
  readonly agent?: Agent;
}

export type Asked =
  | { readonly kind: 'answer'; readonly answer: TurnAnswer }
  | { readonly kind: 'failure'; readonly failure: LlmFailure; readonly request: LlmContext['request'] };

/** @throws ProviderRetryable, the signal's reason, LostLease, and what else comes again */
export async function askModel({ input, stack, model, transcript, agent = input.agent }: Question): Promise<Asked> {
  const { loop, turnNumber, generation } = input;
  const guard = untilSettled(input.guard);
  const context: LlmContext = {
    loop,
    agent,
    turnNumber,
    generation,
    guard,
    model,
    transcript,
    instructions: undefined,
    tools: [],
    request: undefined,
    rawMessage: undefined,
    finishReason: undefined,
    answer: undefined,
    failure: undefined,
    metadata: {},
  };
  try {
    await stack.run(context, guard);
    if (context.failure === undefined && context.answer !== undefined) return { kind: 'answer', answer: context.answer };
  } catch (error) {
    input.discarded?.addAnswerOf(context);
    throw error;
  }
  input.discarded?.addAnswerOf(context);
  if (context.failure !== undefined) return { kind: 'failure', failure: context.failure, request: context.request };
  throw new SolidLoopError(
    'ConfigError',
    `the LLM middlewares of agent "${agent.name}" ended without an answer: one of them did not call next`,
    { field: 'middleware.llm' },
  );
}

/** Once a whole answer was read, it goes to its commit whatever the signal says: the fence decides (R48). */
function untilSettled(guard: AttemptGuard): AttemptGuard {
  let isSettled = false;
  return {
    signal: guard.signal,
    assertHeld: () => {
      if (!isSettled) guard.assertHeld();
    },
    settle: () => {
      isSettled = true;
      guard.settle?.();
    },
  };
}
