/** OpenTelemetry spans of a loop: start → turn → call of the model, and tools. Only the API is used: without an SDK of the host's nothing happens. */

import { type Attributes, context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { isSolidLoopError } from '../domain/errors';
import type { Loop } from '../domain/loop';

/** The names of the GenAI semantic conventions, copied: they are not stable yet. */
const GEN_AI = {
  operation: 'gen_ai.operation.name',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
} as const;

/** The start of a loop. `start` gets what its turns and tool calls, in any process, need to belong to its trace. */
export function withStartSpan<Result extends { readonly loopId: string }>(
  agent: string,
  start: (traceParent: string | undefined) => Promise<Result>,
): Promise<Result> {
  const attributes = { [GEN_AI.operation]: 'invoke_agent', [GEN_AI.agent]: agent };
  return inSpan({ name: `invoke_agent ${agent}`, kind: SpanKind.PRODUCER, attributes }, async (span) => {
    const carrier: { traceparent?: string } = {};
    propagation.inject(trace.setSpan(context.active(), span), carrier);
    const started = await start(carrier.traceparent);
    span.setAttribute(GEN_AI.conversation, started.loopId);
    return started;
  });
}

export interface TracedTurn {
  readonly loop: Loop;
  readonly turnNumber: number;
  readonly model: string;
}

/** One attempt of a turn. */
export const withTurnSpan = <Result>({ loop, turnNumber, model }: TracedTurn, run: () => Promise<Result>): Promise<Result> =>
  inSpan(
    {
      name: `turn ${turnNumber}`,
      kind: SpanKind.INTERNAL,
      parent: loop.traceParent,
      attributes: { ...ofLoop(loop), 'solidloop.turn': turnNumber, [GEN_AI.requestModel]: model },
    },
    run,
  );

export interface TracedTool {
  readonly loop: Loop;
  readonly name: string;
  /** Id of the call's row. */
  readonly callId: string;
}

/** One attempt of a tool call. */
export const withToolSpan = <Result>({ loop, name, callId }: TracedTool, run: () => Promise<Result>): Promise<Result> =>
  inSpan(
    {
      name: `execute_tool ${name}`,
      kind: SpanKind.INTERNAL,
      parent: loop.traceParent,
      attributes: { ...ofLoop(loop), [GEN_AI.operation]: 'execute_tool', [GEN_AI.toolName]: name, [GEN_AI.toolCallId]: callId },
    },
    run,
  );

export interface CallSpan {
  readonly answered: (answer: { readonly model?: string; readonly inputTokens?: number; readonly outputTokens?: number }) => void;
  readonly failed: (errorClass: string) => void;
}

/** One request to a provider, a child of the turn that is active. Ends with the first of its two functions. */
export function startCallSpan(model: string, url: string): CallSpan {
  const span = trace.getTracer('solidloop').startSpan(`chat ${model}`, {
    kind: SpanKind.CLIENT,
    attributes: { [GEN_AI.operation]: 'chat', [GEN_AI.requestModel]: model, 'server.address': hostOf(url) },
  });
  return {
    answered: ({ model: served, inputTokens, outputTokens }) => {
      span.setAttributes(
        defined({ [GEN_AI.responseModel]: served, [GEN_AI.inputTokens]: inputTokens, [GEN_AI.outputTokens]: outputTokens }),
      );
      span.end();
    },
    failed: (errorClass) => {
      span.setAttribute('error.type', errorClass);
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

const ofLoop = (loop: Loop): Attributes => ({ [GEN_AI.agent]: loop.agentName, [GEN_AI.conversation]: loop.id });

interface SpanOptions {
  readonly name: string;
  readonly kind: SpanKind;
  /** W3C trace context. Absent: the active span. */
  readonly parent?: string | null;
  readonly attributes: Attributes;
}

/** Texts of errors stay in the tables: a span gets the code. */
async function inSpan<Result>({ name, kind, parent, attributes }: SpanOptions, run: (span: Span) => Promise<Result>): Promise<Result> {
  const base = parent === undefined || parent === null ? context.active() : propagation.extract(ROOT_CONTEXT, { traceparent: parent });
  const span = trace.getTracer('solidloop').startSpan(name, { kind, attributes }, base);
  try {
    return await context.with(trace.setSpan(base, span), () => run(span));
  } catch (error) {
    span.setAttribute('error.type', isSolidLoopError(error) ? error.code : 'InternalError');
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');

const defined = (attributes: Readonly<Record<string, string | number | undefined>>): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
