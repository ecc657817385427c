/** Temporal as the tables' side sees it: which workflows there are, and what was asked of them. */

import { SolidLoopError } from '../../src/domain/errors';
import type { DrivenLoop, TemporalDriver, WorkflowState } from '../../src/domain/temporal-driver';

export class FakeTemporal implements TemporalDriver {
  readonly states = new Map<string, WorkflowState>();
  /** Workflow ids, in order. */
  readonly started: string[] = [];
  readonly woken: string[] = [];
  readonly cancelled: string[] = [];
  /** Every question is answered with TemporalUnavailable. */
  isAway = false;
  /** Called before each answer of `describe`: a change that comes between the look and the repair. */
  onDescribe: (workflowId: string) => Promise<void> = async () => undefined;
  readonly #namespaceId: string;

  constructor(namespaceId = 'namespace-1') {
    this.#namespaceId = namespaceId;
  }

  readonly namespaceId = async (): Promise<string> => {
    this.#assertThere();
    return this.#namespaceId;
  };

  readonly describe = async (workflowId: string): Promise<WorkflowState> => {
    this.#assertThere();
    const state = this.states.get(workflowId) ?? 'not-found';
    await this.onDescribe(workflowId);
    return state;
  };

  readonly start = async ({ workflowId }: DrivenLoop): Promise<void> => {
    this.#assertThere();
    this.started.push(workflowId);
    this.states.set(workflowId, 'running');
  };

  readonly wake = async ({ workflowId }: DrivenLoop): Promise<void> => {
    this.#assertThere();
    this.woken.push(workflowId);
  };

  readonly cancel = async (workflowId: string): Promise<void> => {
    this.#assertThere();
    this.cancelled.push(workflowId);
  };

  #assertThere(): void {
    if (this.isAway) throw new SolidLoopError('TemporalUnavailable', 'Temporal does not answer');
  }
}
