/** Sees each request to a provider go by on its way to the wire log: counts it, and makes a span of it. */

import type { WireOutcome, WireRecorder } from '../domain/wire';
import type { EngineMetrics } from './engine-metrics';
import { startCallSpan } from './spans';

export interface ObservedWireOptions {
  readonly metrics: EngineMetrics;
  /** Of the attempt: a request that we cut off ourselves is no failure of the provider's. */
  readonly signal: AbortSignal;
}

export function observedWire(wire: WireRecorder, { metrics, signal }: ObservedWireOptions): WireRecorder {
  return {
    start: async (request) => {
      if (request.kind !== 'llm-request') return wire.start(request);
      const span = startCallSpan(request.name, request.url);
      const complete = await wire.start(request);
      return async (outcome) => {
        const errorClass = outcome.error === undefined ? undefined : classOf(outcome, signal);
        if (errorClass === undefined) span.answered(readAnswer(outcome.response));
        else span.failed(errorClass);
        const counted = errorClass === ABORTED ? {} : { errorClass };
        metrics.providerCalled({ model: request.name, seconds: outcome.durationSeconds, ...defined(counted) });
        await complete(outcome);
      };
    },
  };
}

const ABORTED = 'aborted';

const CLASSES: Readonly<Record<number, string>> = {
  401: 'authentication',
  402: 'quota',
  403: 'authentication',
  404: 'not-found',
  408: 'timeout',
  429: 'rate-limit',
  503: 'overloaded',
  529: 'overloaded',
};

/** By the status alone: what it means for the loop is decided elsewhere. */
function classOf({ status }: WireOutcome, signal: AbortSignal): string {
  if (signal.aborted) return ABORTED;
  if (status === undefined) return 'network';
  if (status < 400) return 'broken-answer';
  return CLASSES[status] ?? (status >= 500 ? 'server-error' : 'refused');
}

/** Read leniently: what is of another shape is left out. */
function readAnswer(response: unknown): { readonly model?: string; readonly inputTokens?: number; readonly outputTokens?: number } {
  const { model, usage } = fieldsOf(response);
  const { prompt_tokens, completion_tokens, input_tokens, output_tokens } = fieldsOf(usage);
  const [inputTokens, outputTokens] = [prompt_tokens ?? input_tokens, completion_tokens ?? output_tokens];
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof inputTokens === 'number' ? { inputTokens } : {}),
    ...(typeof outputTokens === 'number' ? { outputTokens } : {}),
  };
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (value !== null && typeof value === 'object' ? { ...value } : {});

const defined = ({ errorClass }: { readonly errorClass?: string | undefined }): { readonly errorClass?: string } =>
  errorClass === undefined ? {} : { errorClass };
