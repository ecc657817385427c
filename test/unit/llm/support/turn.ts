/** Runs turns in tests: ports that record what they were told, and an input with an agent. */

import type { Agent, AgentDefinition } from '../../../../src/agents/agent';
import type { AttemptGuard } from '../../../../src/agents/middleware';
import { toId } from '../../../../src/domain/ids';
import type { LivePart } from '../../../../src/domain/live-part';
import { DEFAULT_SETTINGS } from '../../../../src/domain/settings';
import type { TurnAnswer } from '../../../../src/domain/turn';
import type { LlmPorts } from '../../../../src/llm/ports';
import { createProviderMemory } from '../../../../src/llm/provider-memory';
import { runLlmTurn, type LlmTurnInput, type LlmTurnOutcome } from '../../../../src/llm/run-llm-turn';
import { anyLoop } from '../../../support/any-loop';
import { user } from './transcript';

export interface RecordedPorts extends LlmPorts {
  readonly parts: LivePart[];
  /** Errors and outcomes of the wire log, in order. */
  readonly wired: unknown[];
}

export function recordedPorts(ports: Partial<LlmPorts> = {}): RecordedPorts {
  const parts: LivePart[] = [];
  const wired: unknown[] = [];
  return {
    settings: DEFAULT_SETTINGS,
    live: { push: (part) => void parts.push(part) },
    shell: { update: () => undefined },
    wire: { start: (request) => Promise.resolve((outcome) => Promise.resolve(void wired.push([request.parameters, outcome]))) },
    memory: createProviderMemory(),
    onProgress: () => undefined,
    now: () => performance.now(),
    parts,
    wired,
    ...ports,
  };
}

export const heldGuard = (signal = new AbortController().signal): AttemptGuard => ({ signal, assertHeld: () => signal.throwIfAborted() });

export const agentOf = (definition: Partial<AgentDefinition>): Agent => ({
  name: 'tester',
  model: { name: 'm' },
  definitionHash: 'hash',
  ...definition,
});

export const inputOf = (agent: Agent, input: Partial<LlmTurnInput> = {}): LlmTurnInput => ({
  loop: anyLoop(),
  agent,
  turnNumber: 1,
  generation: toId('3'),
  transcript: [user('hi')],
  guard: heldGuard(),
  ...input,
});

/** Runs a turn that must end with an answer. */
export async function answerOf(input: LlmTurnInput, ports: LlmPorts): Promise<TurnAnswer> {
  const outcome = await runLlmTurn(input, ports);
  if (outcome.kind !== 'answer') throw new Error(`the turn failed: ${outcome.message}`);
  return outcome.answer;
}

/** Runs a turn that must end with a failure. */
export async function failureOf(input: LlmTurnInput, ports: LlmPorts): Promise<Exclude<LlmTurnOutcome, { kind: 'answer' }>> {
  const outcome = await runLlmTurn(input, ports);
  if (outcome.kind === 'answer') throw new Error('the turn gave an answer');
  return outcome;
}
