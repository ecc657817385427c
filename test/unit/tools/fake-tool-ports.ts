/** Ports that record what the stack asks of them, and a claimed call to run against them. */

import type { Agent, AgentDefinition } from '../../../src/agents/agent';
import { defineAgent } from '../../../src/agents/define-agent';
import type { AttemptGuard } from '../../../src/agents/middleware';
import type { ToolDefinition } from '../../../src/agents/tool';
import { toId } from '../../../src/domain/ids';
import { DEFAULT_SETTINGS } from '../../../src/domain/settings';
import type { ToolFailure, ToolOutcome, ToolPorts, ToolResponse } from '../../../src/tools/ports';
import type { ClaimedToolCall } from '../../../src/tools/tool-run';
import { anyLoop } from '../../support/any-loop';

export type PortCall =
  | { readonly port: 'body' | 'late-unknown' }
  | { readonly port: 'checkpoint' | 'late'; readonly outcome: ToolOutcome }
  | { readonly port: 'respond'; readonly response: ToolResponse }
  | { readonly port: 'settle'; readonly outcome: ToolOutcome; readonly response: ToolResponse }
  | { readonly port: 'unknown'; readonly reason: string }
  | { readonly port: 'fail'; readonly failure: ToolFailure }
  | { readonly port: 'error-after-response'; readonly error: unknown };

export interface FakeToolPorts extends ToolPorts<string> {
  /** In order. */
  readonly calls: PortCall[];
  readonly log: string[];
}

export function fakeToolPorts(changes: Partial<ToolPorts<string>> = {}): FakeToolPorts {
  const calls: PortCall[] = [];
  const log: string[] = [];
  let clockMs = 0;
  return {
    calls,
    log,
    settings: DEFAULT_SETTINGS,
    live: {
      push: (part) =>
        log.push(part.type === 'tool-end' ? `live tool-end ${part.isSuccess} ${part.result}` : `live tool-start ${part.arguments}`),
    },
    wire: {
      start: async ({ name, parameters }) => {
        log.push(`wire start ${name} ${JSON.stringify(parameters)}`);
        return async ({ response, error }) =>
          void log.push(`wire end ${error === undefined ? JSON.stringify(response) : `error ${error}`}`);
      },
    },
    heartbeat: (progress) => log.push(`beat ${JSON.stringify(progress)}`),
    startLoop: async ({ key = '' }) => {
      log.push(`start ${key}`);
      return { loopId: toId('99'), workflowId: 'loop-99', isNew: true, status: 'init' };
    },
    onBodyEntered: () => calls.push({ port: 'body' }),
    checkpoint: async (outcome) => void calls.push({ port: 'checkpoint', outcome }),
    respond: async (response) => (calls.push({ port: 'respond', response }), 'responded'),
    settle: async (outcome, response) => (calls.push({ port: 'settle', outcome, response }), 'settled'),
    settleUnknown: async (reason) => (calls.push({ port: 'unknown', reason }), 'unknown'),
    checkpointLate: async (outcome) => void calls.push({ port: 'late', outcome }),
    onLateEndUnknown: () => calls.push({ port: 'late-unknown' }),
    fail: async (failure) => (calls.push({ port: 'fail', failure }), 'failed'),
    onErrorAfterResponse: (error) => calls.push({ port: 'error-after-response', error }),
    now: () => (clockMs += 500),
    ...changes,
  };
}

export interface CallOptions {
  readonly agent?: Partial<AgentDefinition>;
  readonly signal?: AbortSignal;
  readonly arguments?: ClaimedToolCall['call']['arguments'];
  readonly executed?: NonNullable<ClaimedToolCall['executed']>;
  readonly state?: ClaimedToolCall['loop']['state'];
}

/** A claim of a call of the given tool, by an agent that has it. */
export function claimedCall(tool: ToolDefinition, options: CallOptions = {}): ClaimedToolCall {
  const signal = options.signal ?? new AbortController().signal;
  const guard: AttemptGuard = { signal, assertHeld: () => signal.throwIfAborted() };
  const agent: Agent = defineAgent({ name: 'helper', model: { name: 'm' }, tools: [tool], ...options.agent });
  return {
    loop: anyLoop({ state: options.state ?? {} }),
    agent,
    generation: toId('3'),
    claimNumber: toId('1'),
    guard,
    call: {
      id: '11',
      key: '0190c5b2-0000-7000-8000-000000000001',
      providerId: 'call_1',
      name: tool.name,
      arguments: options.arguments ?? {},
      effect: tool.effect,
      isExecuted: options.executed !== undefined,
    },
    ...(options.executed === undefined ? {} : { executed: options.executed }),
  };
}
