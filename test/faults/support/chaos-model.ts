/** How a model misbehaves once, for one request of one loop. */

import type { ScriptedResponse } from '../../../src/testing/script';
import { errorAnswer, textAnswer } from '../../../src/testing/scripted-answers';
import type { ChaosPlan } from './chaos-plan';

/** The name begins with "fault". */
export function toResponse({ loop, isSecondTurn, fault }: ChaosPlan['model'][number]): ScriptedResponse {
  const match = { bodyContains: `loop-${loop}-`, ...(isSecondTurn ? { lastMessageContains: 'tool-result' } : {}) };
  const half = textAnswer('The half of an answer').steps.slice(0, 3);
  const name = `fault ${fault}`;
  switch (fault) {
    case 'hang':
      return { name, match, steps: [{ kind: 'hold' }] };
    case 'die':
      return { name, match, steps: [{ kind: 'destroy' }] };
    case 'die-in-answer':
      return { name, match, steps: [...half, { kind: 'destroy' }] };
    case 'overloaded':
      return { ...errorAnswer(503, { message: 'overloaded' }, { headers: { 'retry-after-ms': '100' } }), name, match };
    case 'refused':
      return { ...errorAnswer(400, { message: 'this is not to be answered' }), name, match };
  }
}
