/** A tracer that keeps what it is told, in place of a host's SDK: spans, their parents, a context that follows `await`. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  trace,
  type Tracer,
} from '@opentelemetry/api';

export interface RecordedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly traceId: string;
  readonly attributes: Attributes;
  isEnded: boolean;
}

/** Takes the place of the global SDK for this test file. Spans are in order of start. */
export function recordSpans(): readonly RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  const storage = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, thisArgument, ...given) => storage.run(active, () => run.call(thisArgument, ...given)),
    bind: (_context, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  propagation.setGlobalPropagator({
    inject: (active, carrier, setter) => {
      const found = trace.getSpanContext(active);
      if (found !== undefined) setter.set(carrier, 'traceparent', `00-${found.traceId}-${found.spanId}-01`);
    },
    extract: (active, carrier, getter) => {
      const [, traceId, spanId] = String(getter.get(carrier, 'traceparent')).split('-');
      return traceId === undefined || spanId === undefined
        ? active
        : trace.setSpanContext(active, { traceId, spanId, traceFlags: 1, isRemote: true });
    },
    fields: () => ['traceparent'],
  });
  const tracer: Tracer = {
    startSpan: (name: string, options: SpanOptions = {}, base: Context = context.active()) => startSpan(spans, name, options, base),
    startActiveSpan: () => {
      throw new Error('startActiveSpan is not scripted');
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return spans;
}

function startSpan(spans: RecordedSpan[], name: string, options: SpanOptions, base: Context): Span {
  const parent = trace.getSpanContext(base);
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const recorded: RecordedSpan = { name, spanId, parentId: parent?.spanId, traceId, attributes: { ...options.attributes }, isEnded: false };
  spans.push(recorded);
  const span: Span = {
    spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
    setAttribute: (key, value) => {
      recorded.attributes[key] = value;
      return span;
    },
    setAttributes: (attributes) => {
      Object.assign(recorded.attributes, attributes);
      return span;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    setStatus: () => span,
    updateName: () => span,
    end: () => void (recorded.isEnded = true),
    isRecording: () => true,
    recordException: () => undefined,
  };
  return span;
}
