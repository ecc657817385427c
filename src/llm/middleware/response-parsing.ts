/** Middleware: makes the turn's answer of what the provider sent (R30, R39, R44). */

import type { ModelSettings } from '../../agents/agent';
import type { LlmContext, LlmMiddleware } from '../../agents/middleware';
import { SolidLoopError } from '../../domain/errors';
import { ProviderError } from '../errors/provider-error';
import { providerOf } from '../providers/provider-of';
import { buildAnswer, isAnswerless } from '../parsing/build-answer';
import { withoutRepetition } from '../parsing/repeated-faults';
import type { SchemaChecks } from '../parsing/schema-checks';
import { applyTextCalls } from '../parsing/text-calls/apply-text-calls';
import { readsTextCalls } from '../parsing/text-calls/reads-text-calls';
import type { LlmPorts } from '../ports';
import { findRawAnswer } from '../raw-answers';
import { finishKindOf } from '../stream/finish-reason';

/** How often a call that the provider could not read is asked for again, before the answer is kept as it is (P41). */
const MALFORMED_ATTEMPTS = 3;
const DEFAULT_MAX_CALLS_PER_TURN = 128;

/** @param schemas kept by the process, so that each schema is compiled once */
export function responseParsing(ports: Pick<LlmPorts, 'onProgress' | 'now'>, schemas: SchemaChecks): LlmMiddleware {
  return async (context, next) => {
    ports.onProgress('parsing', 0);
    if (readsTextCalls(context)) applyTextCalls(context);
    const { model, message } = readContext(context);
    assertUsable({ context, model, message });
    const answer = buildAnswer({
      message,
      model,
      schemas,
      finishReason: context.finishReason,
      raw: findRawAnswer(context) ?? unmeasured(ports.now()),
      tools: context.tools,
      maxCallsPerTurn: context.agent.maxCallsPerTurn ?? DEFAULT_MAX_CALLS_PER_TURN,
    });
    context.answer = withoutRepetition(answer, context.transcript);
    await next();
  };
}

interface AnsweredModel {
  readonly model: ModelSettings;
  readonly message: Record<string, unknown>;
}

function readContext({ model, rawMessage }: LlmContext): AnsweredModel {
  if (model === undefined || rawMessage === undefined) {
    throw new SolidLoopError(
      'InternalError',
      'response-parsing ran before network-calling, or what stands in its place, had set rawMessage',
    );
  }
  return { model, message: rawMessage };
}

/** Failed generations come again as failures of the provider, which are counted in the loop's row, so that none repeats for ever. */
function assertUsable({ context, model, message }: AnsweredModel & { readonly context: LlmContext }): void {
  const { finishReason, loop } = context;
  const kind = finishKindOf(finishReason);
  const fail = (text: string): ProviderError =>
    new ProviderError(text, { kind: kind === 'error' ? 'stream' : 'empty', url: providerOf(model).urlOf(model) });
  if (kind === 'error') throw fail(`the provider ended its answer with the finish reason "${finishReason}"`);
  if (!isAnswerless(message)) return;
  if (kind === 'malformed-call' && loop.turnFailures < MALFORMED_ATTEMPTS - 1)
    throw fail(`the model's tool call could not be read (${finishReason})`);
}

/** Where a middleware of the host took the place of the network call, nothing was measured. */
function unmeasured(now: number): Parameters<typeof buildAnswer>[0]['raw'] {
  return {
    usage: undefined,
    model: undefined,
    ignoredParts: {},
    marks: { start: now, firstToken: undefined, firstContent: undefined, end: now },
  };
}
