/** What people do to loops under chaos, by this package's client and by Temporal's, and what they take back after a while. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ControlAnswer, ControlRequest } from '../../../src/domain/control';
import { isSolidLoopError } from '../../../src/domain/errors';
import { isTerminal } from '../../../src/domain/loop';
import type { FaultStage } from '../../../src/testing/faults/open-fault-stage';
import type { ChaosControl } from './chaos-plan';
import type { TemporalOperator } from './temporal-operator';

export interface DrivenWorkflow {
  readonly loopId: string;
  readonly workflowId: string;
}

type ByTemporal = Extract<ChaosControl, 'steer-by-signal' | 'pause-by-signal' | 'cancel-in-temporal'>;

const REQUESTS: Readonly<Record<Exclude<ChaosControl, ByTemporal>, ControlRequest>> = {
  pause: { verb: 'pause' },
  'pause-after-step': { verb: 'pause', when: 'afterStep' },
  steer: { verb: 'steer', message: 'and another thing' },
  interrupt: { verb: 'steer', message: 'at once, another thing', interrupt: true },
  freeze: { verb: 'freeze', reason: 'chaos' },
  stop: { verb: 'stop' },
  'stop-after-step': { verb: 'stop', when: 'afterStep' },
};
const RESTING: readonly ChaosControl[] = ['pause', 'pause-after-step', 'freeze', 'pause-by-signal'];

export interface ChaosControlsOptions {
  readonly stage: FaultStage;
  readonly operator: TemporalOperator;
  readonly count: (name: string) => void;
}

export class ChaosControls {
  readonly #options: ChaosControlsOptions;
  readonly #takingBack: Promise<unknown>[] = [];
  #lastKey = 0;

  constructor(options: ChaosControlsOptions) {
    this.#options = options;
  }

  /** Called while the step is at its point: the control always meets it in flight. */
  async act(loop: DrivenWorkflow, control: ChaosControl, backAfterMs: number): Promise<void> {
    const isDone = isByTemporal(control)
      ? await this.#actByTemporal(loop.workflowId, control)
      : await this.send(loop.loopId, control, REQUESTS[control]);
    if (isDone && RESTING.includes(control)) this.#takingBack.push(this.#takeBack(loop.loopId, control, backAfterMs));
  }

  /** Each request is sent twice under its key, as a client does that heard no answer. */
  async send(loopId: string, name: string, request: ControlRequest): Promise<boolean> {
    const { count } = this.#options;
    const key = this.#nextKey(name);
    count(`control: ${name}`);
    const [answer] = await Promise.all([this.#ask(loopId, request, key), this.#ask(loopId, request, key)]);
    if (!answer.ok) count(`control: ${name} refused (${answer.code})`);
    return answer.ok;
  }

  /** A stalled worker may hold the row for longer than a client waits: it asks again, under the same key. */
  async #ask(loopId: string, request: ControlRequest, key: string): Promise<ControlAnswer> {
    for (;;) {
      try {
        return await this.#options.stage.client.control(loopId, request, { key });
      } catch (error) {
        if (!isSolidLoopError(error, 'DatabaseUnavailable')) throw error;
        this.#options.count('control: asked again');
      }
    }
  }

  /** Resolves when all that was to be taken back has been. */
  async settle(): Promise<void> {
    await Promise.all(this.#takingBack);
  }

  #nextKey(name: string): string {
    this.#lastKey += 1;
    return `${name}-${this.#lastKey}`;
  }

  #actByTemporal(workflowId: string, control: ByTemporal): Promise<boolean> {
    const { operator, count } = this.#options;
    count(`control: ${control}`);
    switch (control) {
      case 'steer-by-signal':
        return operator.signal(workflowId, 'steer', { message: 'and another thing', key: this.#nextKey(control) });
      case 'pause-by-signal':
        return operator.signal(workflowId, 'pause', { key: this.#nextKey(control) });
      case 'cancel-in-temporal':
        return operator.cancel(workflowId);
    }
  }

  /** A signal is carried out when the workflow comes to it: its effect is waited for. */
  async #takeBack(loopId: string, control: ChaosControl, afterMs: number): Promise<void> {
    await delay(afterMs);
    if (isByTemporal(control))
      await this.#options.stage.waitForEnd([loopId], { isEnd: (status) => status === 'paused' || isTerminal(status) });
    if (control === 'freeze') await this.send(loopId, 'unfreeze', { verb: 'unfreeze' });
    await this.send(loopId, 'resume', { verb: 'resume' });
  }
}

const isByTemporal = (control: ChaosControl): control is ByTemporal => !(control in REQUESTS);
