/** Middleware: sends the request, reads the answer, and records both (R30, R43). */

import type { LlmContext, LlmMiddleware } from '../../agents/middleware';
import type { ModelSettings } from '../../agents/agent';
import { messageOf, SolidLoopError } from '../../domain/errors';
import type { JsonObject } from '../../domain/loop';
import { CUT_OFF } from '../../domain/wire';
import { passesThrough } from '../errors/passes-through';
import { isProviderError, ProviderError } from '../errors/provider-error';
import { authorizationOf, type EndpointClients } from '../network/endpoint-clients';
import type { SentRequest } from '../network/send-request';
import { StreamFeed } from '../network/stream-feed';
import { StreamWatch, type WatchLimits } from '../network/stream-watch';
import type { LlmPorts, WireOutcome } from '../ports';
import { providerOf } from '../providers/provider-of';
import { setBrokenAnswer, setRawAnswer } from '../raw-answers';
import { AnswerAggregator } from '../stream/answer-aggregator';
import type { RawAnswer } from '../stream/raw-answer';

/** @param clients kept by the process, so that connections outlive a turn */
export function networkCalling(ports: LlmPorts, clients: EndpointClients): LlmMiddleware {
  return async (context, next) => {
    const call = toCall(context);
    const complete = await ports.wire.start(wireRequestOf(call));
    const answer = await recorded({ complete, ports, run: (seen) => callProvider({ call, context, ports, clients, seen }) });
    setRawAnswer(context, answer);
    context.guard.settle?.();
    await next();
  };
}

interface ProviderCall {
  readonly model: ModelSettings;
  readonly url: string;
  readonly body: Record<string, unknown>;
}

function toCall(context: LlmContext): ProviderCall {
  const { model, request } = context;
  if (model === undefined || request === undefined) {
    throw new SolidLoopError(
      'InternalError',
      'network-calling ran before agent-initialization and message-building had set model and request',
    );
  }
  return { model, url: providerOf(model).urlOf(model), body: request };
}

function wireRequestOf({ model, url, body }: ProviderCall): Parameters<LlmPorts['wire']['start']>[0] {
  const field = 'messages' in body ? 'messages' : 'input';
  const messages = body[field];
  const authorization = authorizationOf(model);
  return {
    kind: 'llm-request',
    name: model.name,
    method: 'POST',
    url,
    parameters: (Array.isArray(messages) ? { ...body, [field]: [] } : body) as JsonObject,
    messages: Array.isArray(messages) ? messages : [],
    // The log redacts the key, and knows it then if an error sends it back.
    headers: {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
      ...model.headers,
    },
  };
}

interface CallOptions {
  readonly call: ProviderCall;
  readonly context: LlmContext;
  readonly ports: LlmPorts;
  readonly clients: EndpointClients;
  /** Told of the response as soon as its headers are there. */
  readonly seen: (sent: SentRequest) => void;
}

async function callProvider({ call, context, ports, clients, seen }: CallOptions): Promise<RawAnswer> {
  const { guard } = context;
  guard.signal.throwIfAborted();
  const feed = new StreamFeed(ports);
  const aggregator = new AnswerAggregator({ now: ports.now, onPart: feed.push });
  const watch = new StreamWatch({
    signal: guard.signal,
    now: ports.now,
    limits: limitsOf(call, context, ports),
    toError: (what) => new ProviderError(what, { kind: 'timeout', url: call.url }),
  });
  try {
    ports.onProgress('connecting', 0);
    return await providerOf(call.model).call({
      ...call,
      aggregator,
      watch,
      clients,
      fetch: ports.fetch ?? clients.fetch,
      onSent: (sent) => {
        seen(sent);
        ports.onProgress('waiting-for-first-token', 0);
      },
      onProgress: feed.flush,
    });
  } catch (error) {
    if (aggregator.usage !== undefined || aggregator.hasTokens) setBrokenAnswer(context, aggregator);
    throw error;
  } finally {
    watch.close();
  }
}

/** A whole answer in one piece shows no progress while it is made: only its bytes and the turn bound it. */
function limitsOf({ model, body }: ProviderCall, { agent }: LlmContext, { settings }: LlmPorts): WatchLimits {
  const limits = {
    bytesMs: 1000 * (model.readTimeoutSeconds ?? settings.defaultReadTimeout),
    wholeMs: 1000 * (agent.turnTimeoutSeconds ?? settings.defaultMaxDuration),
  };
  if (body.stream !== true) return limits;
  const firstTokenMs = 1000 * (model.firstTokenTimeoutSeconds ?? settings.firstTokenTimeout);
  return { ...limits, firstTokenMs, progressMs: 1000 * (model.progressTimeoutSeconds ?? settings.progressTimeout) };
}

interface RecordedCall {
  readonly complete: (outcome: WireOutcome) => Promise<void>;
  readonly ports: LlmPorts;
  readonly run: (seen: (sent: SentRequest) => void) => Promise<RawAnswer>;
}

/** Completes the wire event, whichever way the call ends. */
async function recorded({ complete, ports, run }: RecordedCall): Promise<RawAnswer> {
  const startedAt = ports.now();
  let sent: SentRequest | undefined;
  const responseOf = (): Pick<WireOutcome, 'status' | 'headers'> =>
    sent === undefined ? {} : { status: sent.info.status, headers: sent.info.headers };
  const seconds = (): number => (ports.now() - startedAt) / 1000;
  try {
    const answer = await run((response) => (sent = response));
    const { message, finishReason, usage, model, rest } = answer;
    await complete({
      ...responseOf(),
      response: { ...rest, model, message, finish_reason: finishReason, usage },
      durationSeconds: seconds(),
    });
    return answer;
  } catch (error) {
    const failed =
      isProviderError(error) && error.kind === 'http'
        ? { status: error.status ?? 0, headers: error.headers, response: error.body }
        : responseOf();
    await complete({ ...failed, error: passesThrough(error) ? CUT_OFF + messageOf(error) : messageOf(error), durationSeconds: seconds() });
    throw error;
  }
}
