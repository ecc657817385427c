/** What people do to loops under chaos, by this package's client and by Temporal's, and what they take back after a while. */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { namingUnavailable } from '../../../src/db/transaction';
import type { ControlAnswer, ControlRequest } from '../../../src/domain/control';
import { messageOf } from '../../../src/domain/errors';
import { isTerminal } from '../../../src/domain/loop';
import type { Violation } from '../../../src/testing/faults/check-invariants';
import { waitUntil } from '../../support/wait-until';
import { findLostSignals } from './chaos-checks';
import type { ChaosControl, PlannedControl } from './chaos-plan';
import type { OwnStage } from './open-stage';
import type { TemporalOperator } from './temporal-operator';
import { untilServed } from './until-served';

export interface DrivenWorkflow {
  readonly loopId: string;
  readonly workflowId: string;
}

type ByTemporal = Extract<ChaosControl, 'steer-by-signal' | 'pause-by-signal' | 'cancel-in-temporal' | 'terminate-in-temporal'>;
type Several = Extract<ChaosControl, 'steer-burst' | 'steer-and-withdraw'>;

/** Each message is another text: in a request it can be told which are there, and how often. */
const REQUESTS: Readonly<Record<Exclude<ChaosControl, ByTemporal | Several>, (key: string) => ControlRequest>> = {
  pause: () => ({ verb: 'pause' }),
  'pause-after-step': () => ({ verb: 'pause', when: 'afterStep' }),
  steer: (key) => ({ verb: 'steer', message: `and another thing, ${key}` }),
  interrupt: (key) => ({ verb: 'steer', message: `at once, ${key}`, interrupt: true }),
  freeze: () => ({ verb: 'freeze', reason: 'chaos' }),
  stop: () => ({ verb: 'stop' }),
  'stop-after-step': () => ({ verb: 'stop', when: 'afterStep' }),
  'retry-now': () => ({ verb: 'retry' }),
};
const RESTING: readonly ChaosControl[] = ['pause', 'pause-after-step', 'freeze', 'pause-by-signal', 'terminate-in-temporal'];
const BURST = 5;

export interface ChaosControlsOptions {
  readonly stage: OwnStage;
  readonly operator: TemporalOperator;
  readonly count: (name: string) => void;
}

/** A control that Temporal took: its effect must come, whatever dies. */
export interface TakenSignal {
  readonly loopId: string;
  readonly key: string;
}

export class ChaosControls {
  readonly taken: TakenSignal[] = [];
  /** Loops whose workflow an operator terminated. */
  readonly terminated = new Set<string>();
  readonly violations: Violation[] = [];
  readonly #options: ChaosControlsOptions;
  readonly #takingBack: Promise<unknown>[] = [];
  #lastKey = 0;

  constructor(options: ChaosControlsOptions) {
    this.#options = options;
  }

  /** Called while the step is at its point: the control always meets it in flight. */
  async act(loop: DrivenWorkflow, planned: PlannedControl): Promise<void> {
    const isDone = await this.#act(loop, planned.control);
    if (isDone && RESTING.includes(planned.control))
      this.#takingBack.push(
        this.#takeBack(loop.loopId, planned).catch((error: unknown) => this.#violate('every-loop-ends', loop.loopId, messageOf(error))),
      );
  }

  /** Each request is sent twice at once under its key, as a client does that heard no answer, and answered alike. */
  async send(loopId: string, name: string, toRequest: (key: string) => ControlRequest): Promise<ControlAnswer> {
    const { count } = this.#options;
    const key = this.#nextKey(name);
    const request = toRequest(key);
    count(`control: ${name}`);
    const [answer, again] = await Promise.all([this.#ask(loopId, request, key), this.#ask(loopId, request, key)]);
    if (!isDeepStrictEqual(answer, again)) this.#violate('repeats-are-answered-alike', loopId, JSON.stringify([answer, again]));
    if (!answer.ok) count(`control: ${name} refused (${answer.code})`);
    return answer;
  }

  /** Resolves when all that was to be taken back has been. */
  async settle(): Promise<void> {
    await Promise.all(this.#takingBack);
  }

  async #act(loop: DrivenWorkflow, control: ChaosControl): Promise<boolean> {
    if (isByTemporal(control)) return this.#actByTemporal(loop, control);
    switch (control) {
      case 'steer-burst':
        await Promise.all(Array.from({ length: BURST }, () => this.send(loop.loopId, 'steer', REQUESTS.steer)));
        return true;
      case 'steer-and-withdraw':
        return this.#steerAndWithdraw(loop.loopId);
      default:
        return (await this.send(loop.loopId, control, REQUESTS[control])).ok;
    }
  }

  async #signalsCarriedOut(loopId: string): Promise<void> {
    const sent = this.taken.filter((signal) => signal.loopId === loopId);
    const areKnown = async (): Promise<boolean> =>
      (await namingUnavailable(() => findLostSignals(this.#options.stage.database.db, sent))).length === 0;
    await waitUntil(`the signals of loop ${loopId} to be carried out`, () => untilServed(areKnown), SIGNAL_LIMIT_MS);
  }

  async #steerAndWithdraw(loopId: string): Promise<boolean> {
    const steered = await this.send(loopId, 'steer', REQUESTS.steer);
    const messageId = steered.ok ? steered.messageId : undefined;
    if (messageId !== undefined) await this.send(loopId, 'withdraw', () => ({ verb: 'withdrawMessage', messageId }));
    return true;
  }

  /** A stalled worker may hold the row for longer than a client waits: it asks again, under the same key. */
  #ask(loopId: string, request: ControlRequest, key: string): Promise<ControlAnswer> {
    const { stage, count } = this.#options;
    return untilServed(
      () => stage.client.control(loopId, request, { key }),
      () => count('control: asked again'),
    );
  }

  #nextKey(name: string): string {
    this.#lastKey += 1;
    return `${name}-${this.#lastKey}`;
  }

  #violate(id: string, loopId: string, detail: string): void {
    this.violations.push({ id, loopId, detail });
  }

  #actByTemporal({ loopId, workflowId }: DrivenWorkflow, control: ByTemporal): Promise<boolean> {
    const { operator, count } = this.#options;
    count(`control: ${control}`);
    const signal = async (name: string, payload: object): Promise<boolean> => {
      const key = this.#nextKey(control);
      const isTaken = await operator.signal(workflowId, name, { ...payload, key });
      if (isTaken) this.taken.push({ loopId, key });
      return isTaken;
    };
    switch (control) {
      case 'steer-by-signal':
        return signal('steer', { message: `and another thing by Temporal, ${this.#lastKey}` });
      case 'pause-by-signal':
        return signal('pause', {});
      case 'cancel-in-temporal':
        return operator.cancel(workflowId);
      case 'terminate-in-temporal':
        this.terminated.add(loopId);
        return operator.terminate(workflowId);
    }
  }

  /** What Temporal is told is carried out when the workflow, or the reconciler, comes to it: its effect is waited for. */
  async #takeBack(loopId: string, { control, backAfterMs, skipCalls }: PlannedControl): Promise<void> {
    await delay(backAfterMs);
    if (isByTemporal(control))
      await untilServed(() => this.#options.stage.waitForEnd([loopId], { isEnd: (status) => status === 'paused' || isTerminal(status) }));
    // Another pause may have come first: one that is still on its way would come after the resume.
    if (control === 'pause-by-signal') await this.#signalsCarriedOut(loopId);
    if (control === 'freeze') await this.send(loopId, 'unfreeze', () => ({ verb: 'unfreeze' }));
    await this.send(loopId, 'resume', () => ({ verb: 'resume', skipCalls }));
  }
}

const SIGNAL_LIMIT_MS = 240_000;
const BY_TEMPORAL: readonly ChaosControl[] = ['steer-by-signal', 'pause-by-signal', 'cancel-in-temporal', 'terminate-in-temporal'];
const isByTemporal = (control: ChaosControl): control is ByTemporal => BY_TEMPORAL.includes(control);
