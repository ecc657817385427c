/** The engine's counts as Prometheus metrics of one process. Names are a contract: docs/operations.md lists them. */

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CommittedTurn, EngineMetrics, ProviderCall, StepKind } from './engine-metrics';

const QUEUE_BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];
const CALL_BUCKETS_SECONDS = [0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900];

export class PrometheusMetrics implements EngineMetrics {
  readonly registry = new Registry();
  readonly #registers = [this.registry];

  readonly #inFlight = new Gauge({
    name: 'solidloop_steps_in_flight',
    help: 'Turns and tool calls that this worker runs now',
    labelNames: ['kind'],
    registers: this.#registers,
  });
  readonly #queued = new Histogram({
    name: 'solidloop_step_queue_seconds',
    help: 'From scheduled to started, by attempt',
    labelNames: ['kind'],
    buckets: QUEUE_BUCKETS_SECONDS,
    registers: this.#registers,
  });
  readonly #ended = new Counter({
    name: 'solidloop_step_attempts_total',
    help: 'Attempts that ended; failure is empty where they did not fail',
    labelNames: ['kind', 'failure'],
    registers: this.#registers,
  });
  readonly #lostLeases = new Counter({
    name: 'solidloop_lost_leases_total',
    help: 'Attempts that ended since they lost what they held',
    labelNames: ['kind'],
    registers: this.#registers,
  });
  readonly #takeovers = new Counter({
    name: 'solidloop_takeovers_total',
    help: 'Attempts that took over what an earlier one held and never reported',
    labelNames: ['kind'],
    registers: this.#registers,
  });
  readonly #providerErrors = new Counter({
    name: 'solidloop_provider_errors_total',
    help: 'Requests to a model provider that were not answered, by class',
    labelNames: ['model', 'class'],
    registers: this.#registers,
  });
  readonly #providerSeconds = new Histogram({
    name: 'solidloop_provider_request_seconds',
    help: 'Requests to a model provider, from sent to the end of the answer',
    labelNames: ['model'],
    buckets: CALL_BUCKETS_SECONDS,
    registers: this.#registers,
  });
  readonly #tokens = new Counter({
    name: 'solidloop_tokens_total',
    help: 'Tokens of committed turns, as providers reported them',
    labelNames: ['agent', 'model', 'kind'],
    registers: this.#registers,
  });
  readonly #cost = new Counter({
    name: 'solidloop_cost_usd_total',
    help: 'Spend of committed turns; the exact sums are in the tables',
    labelNames: ['agent', 'model'],
    registers: this.#registers,
  });
  readonly #unpriced = new Counter({
    name: 'solidloop_unpriced_turns_total',
    help: 'Committed turns whose price is not known',
    labelNames: ['agent', 'model'],
    registers: this.#registers,
  });
  readonly #stalls = new Counter({
    name: 'solidloop_event_loop_stalls_total',
    help: 'Times that the event loop stood still for over 5 s',
    registers: this.#registers,
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    for (const kind of ['turn', 'tool'] as const) {
      this.#inFlight.set({ kind }, 0);
      this.#lostLeases.inc({ kind }, 0);
      this.#takeovers.inc({ kind }, 0);
    }
  }

  stepStarted(kind: StepKind, queuedSeconds: number): (failure?: string) => void {
    this.#queued.observe({ kind }, Math.max(0, queuedSeconds));
    this.#inFlight.inc({ kind });
    return (failure = '') => {
      this.#inFlight.dec({ kind });
      this.#ended.inc({ kind, failure });
      if (failure === 'LostLease') this.#lostLeases.inc({ kind });
    };
  }

  tookOver(kind: StepKind): void {
    this.#takeovers.inc({ kind });
  }

  turnCommitted({ agent, model, usage, cost }: CommittedTurn): void {
    const { prompt, promptCached, completion, reasoning } = usage;
    for (const [kind, count] of Object.entries({ prompt, promptCached, completion, reasoning }))
      this.#tokens.inc({ agent, model, kind }, count ?? 0);
    if (cost.isKnown) this.#cost.inc({ agent, model }, Number(cost.amountUsd));
    else this.#unpriced.inc({ agent, model });
  }

  providerCalled({ model, errorClass, seconds }: ProviderCall): void {
    this.#providerSeconds.observe({ model }, seconds);
    if (errorClass !== undefined) this.#providerErrors.inc({ model, class: errorClass });
  }

  stalled(): void {
    this.#stalls.inc();
  }
}
