/** A loop as middlewares, tools and hooks see it, for tests that need no tables. */

import { toId } from '../../src/domain/ids';
import type { Loop } from '../../src/domain/loop';

export function anyLoop(changes: Partial<Loop> = {}): Loop {
  const at = new Date('2026-01-02T03:04:05Z');
  return {
    id: toId('7'),
    workflowId: 'loop-7',
    taskQueue: 'solidloop',
    agentName: 'helper',
    title: null,
    subject: null,
    state: {},
    status: 'running',
    statusChangedAt: at,
    errorCode: null,
    errorMessage: null,
    generation: toId('3'),
    turnNumber: 2,
    turnFailures: 0,
    adminFrozen: false,
    observeEnabled: false,
    limits: {},
    counters: {
      steps: 1,
      tokensPrompt: 0,
      tokensCompletion: 0,
      tokensTotal: 0,
      tokensPromptCached: 0,
      durationGeneration: 0,
      durationTools: 0,
      cost: '0',
      costDiscarded: '0',
      costKnown: true,
    },
    parentLoopId: null,
    definitionHash: null,
    traceParent: null,
    createdAt: at,
    updatedAt: at,
    ...changes,
  };
}
