/** Runs one LLM turn, whole: the agent's model, then its fallbacks on the errors they stand in for, to an answer or a final failure. */

import { adjustStack } from '../agents/adjust-stack';
import type { FallbackModel, FallbackReason, ModelSettings } from '../agents/agent';
import type { LlmStack } from '../agents/middleware';
import { isSolidLoopError, SolidLoopError } from '../domain/errors';
import type { JsonObject } from '../domain/loop';
import { abortable } from './abortable';
import { defaultLlmStack } from './default-stack';
import { classifyForTurn } from './middleware/error-handling';
import { EndpointClients } from './network/endpoint-clients';
import type { LlmPorts } from './ports';
import type { Asked } from './turn/ask-model';
import { askWithinWindow } from './turn/ask-within-window';
import { RATE_GOVERNOR_FIELD } from './turn/take-rate-place';
import type { LlmTurnInput, LlmTurnOutcome } from './turn/turn-input';

export type { LlmTurnInput, LlmTurnOutcome } from './turn/turn-input';

const DEFAULT_FALLBACK_REASONS: readonly FallbackReason[] = ['overloaded', 'server-error', 'timeout', 'quota'];

/**
 * @throws ProviderRetryable with the time at which to come again; with `field: 'rate-governor'` it is our own limit and no failure of the provider
 * @throws the signal's reason, LostLease, database errors: the attempt ends and writes nothing
 * @throws ConfigError where the stack cannot be built
 */
export async function runLlmTurn(input: LlmTurnInput, ports: LlmPorts): Promise<LlmTurnOutcome> {
  if (ports.clients !== undefined) return runCandidates(input, ports);
  const clients = new EndpointClients();
  try {
    return await runCandidates(input, { ...ports, clients });
  } finally {
    await clients.close();
  }
}

interface Candidate {
  readonly model: ModelSettings;
  /** Absent: the agent's own model. */
  readonly fallback?: { readonly from: string; readonly reason: FallbackReason };
}

/** How one model ended, and the class of error for which another may take over. */
type Attempted =
  | { readonly kind: 'asked'; readonly asked: Asked; readonly reason?: FallbackReason | undefined }
  | { readonly kind: 'retryable'; readonly error: unknown; readonly reason?: FallbackReason | undefined };

async function runCandidates(input: LlmTurnInput, ports: LlmPorts): Promise<LlmTurnOutcome> {
  const { agent, loop, guard } = input;
  const stack = adjustStack(defaultLlmStack(ports), [
    { owner: 'the config: middleware.llm', adjust: input.adjust },
    { owner: `agent "${agent.name}": middleware.llm`, adjust: agent.middleware?.llm },
  ]);
  const own = input.model ?? (typeof agent.model === 'function' ? await abortable(agent.model({ loop }), guard.signal) : agent.model);
  const ended: Attempted[] = [];
  let waiting: readonly FallbackModel[] = agent.fallbacks ?? [];
  let candidate: Candidate | undefined = { model: own };
  while (candidate !== undefined) {
    const attempted = await attempt({ input, ports, stack, candidate });
    if (attempted.kind === 'asked' && attempted.asked.kind === 'answer') return { kind: 'answer', answer: attempted.asked.answer };
    ended.push(attempted);
    const next = waiting.findIndex(({ on = DEFAULT_FALLBACK_REASONS }) => attempted.reason !== undefined && on.includes(attempted.reason));
    candidate = nextCandidate({ fallback: waiting[next], from: own.name, reason: attempted.reason });
    waiting = waiting.slice(next + 1);
    if (candidate !== undefined)
      ports.logger?.warn({ loop: loop.id, ...candidate.fallback, to: candidate.model.name }, 'a fallback model takes over');
  }
  return outcomeOf(ended);
}

function nextCandidate({
  fallback,
  from,
  reason,
}: {
  readonly fallback: FallbackModel | undefined;
  readonly from: string;
  readonly reason: FallbackReason | undefined;
}): Candidate | undefined {
  return fallback === undefined || reason === undefined ? undefined : { model: fallback.model, fallback: { from, reason } };
}

interface AttemptOptions {
  readonly input: LlmTurnInput;
  readonly ports: LlmPorts;
  readonly stack: LlmStack;
  readonly candidate: Candidate;
}

async function attempt({ input, ports, stack, candidate }: AttemptOptions): Promise<Attempted> {
  try {
    const asked = await askWithinWindow({ input, ports, stack, model: candidate.model, transcript: input.transcript });
    if (asked.kind === 'failure') return { kind: 'asked', asked, reason: reasonOf(asked.failure.error, ports) };
    return {
      kind: 'asked',
      asked: { kind: 'answer', answer: { ...asked.answer, metadata: { ...asked.answer.metadata, ...stampsOf(candidate) } } },
    };
  } catch (error) {
    if (!isSolidLoopError(error, 'ProviderRetryable')) throw error;
    return { kind: 'retryable', error, reason: error.field === RATE_GOVERNOR_FIELD ? 'rate-limit' : reasonOf(error.cause, ports) };
  }
}

const reasonOf = (error: unknown, ports: LlmPorts): FallbackReason | undefined => classifyForTurn(error, ports)?.reason;

/** For whom the model stood in, and why. */
const stampsOf = ({ fallback }: Candidate): JsonObject => (fallback === undefined ? {} : { fallback: { ...fallback } });

/** What may come again comes again; otherwise the failure of the agent's own model is the one to tell. */
function outcomeOf(ended: readonly Attempted[]): LlmTurnOutcome {
  const retryable = ended.find((attempted) => attempted.kind === 'retryable');
  if (retryable !== undefined) throw retryable.error;
  const [first] = ended;
  if (first?.kind === 'asked' && first.asked.kind === 'failure') return first.asked.failure.outcome;
  throw new SolidLoopError('InternalError', 'a turn ended with neither an answer nor a failure');
}
