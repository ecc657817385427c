/** What a person sees of the loop in Temporal UI: current details, search attributes, the query. Never content. */

import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { assertNever } from '../domain/assert-never';
import type { OpenedLoop, PlannedStep } from '../domain/planned-step';

export const agentAttribute = defineSearchAttributeKey('SolidLoopAgent', SearchAttributeType.KEYWORD);
export const statusAttribute = defineSearchAttributeKey('SolidLoopStatus', SearchAttributeType.KEYWORD);
export const subjectAttribute = defineSearchAttributeKey('SolidLoopSubject', SearchAttributeType.KEYWORD);

export interface LoopView {
  readonly loopId?: string;
  readonly agent?: string;
  readonly status: string;
  readonly step: string;
}

export class LoopViewer {
  #opened: OpenedLoop | undefined;
  #view: LoopView = { status: 'opening', step: 'reading the tables' };

  get current(): LoopView {
    return this.#view;
  }

  open(opened: OpenedLoop): void {
    this.#opened = opened;
    const pairs: SearchAttributePair[] = [{ key: agentAttribute, value: opened.agent }];
    if (opened.subject !== undefined) pairs.push({ key: subjectAttribute, value: opened.subject });
    if (opened.upsertSearchAttributes) upsertSearchAttributes(pairs);
  }

  show(step: PlannedStep): void {
    if (this.#opened === undefined) return;
    const status = statusOf(step);
    if (status !== this.#view.status && this.#opened.upsertSearchAttributes)
      upsertSearchAttributes([{ key: statusAttribute, value: status }]);
    this.#view = { loopId: this.#opened.loopId, agent: this.#opened.agent, status, step: wordsFor(step) };
    setCurrentDetails(`Loop **${this.#opened.loopId}** of agent **${this.#opened.agent}**: ${this.#view.step}`);
  }
}

function statusOf(step: PlannedStep): string {
  if (step.kind === 'wait') return step.reason;
  return step.kind === 'done' ? step.status : 'running';
}

function wordsFor(step: PlannedStep): string {
  switch (step.kind) {
    case 'turn':
      return step.options.summary;
    case 'tools':
      return `tool calls of turn ${step.turnNumber - 1}: ${step.calls.map((call) => call.name).join(', ')}`;
    case 'wait':
      return step.reason === 'frozen' ? 'frozen by an admin: waits for unfreeze, then resume' : 'paused: waits for resume or stop';
    case 'done':
      return step.code === undefined ? step.status : `${step.status} (${step.code})`;
    default:
      return assertNever(step);
  }
}
