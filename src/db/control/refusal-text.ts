/** Why a verb is refused, and what to do instead. It may cross into Temporal, so what people wrote stays in the row (R9). */

import type { ControlVerb } from '../../domain/control';
import type { ErrorCode } from '../../domain/errors';
import type { LockedLoop } from '../repositories/loops.repository';

export function refusalText(code: ErrorCode, verb: ControlVerb, { loop, frozenBy }: LockedLoop): string {
  const what = `loop ${loop.id} is ${loop.status}`;
  switch (code) {
    case 'LoopFrozen': {
      const by = frozenBy === null ? '' : ` by ${frozenBy}`;
      return `loop ${loop.id} was frozen${by}: ${verb} is refused until it is unfrozen; steer and stop work, and \`solidloop why ${loop.id}\` has the reason`;
    }
    case 'LoopTerminal':
      return `${what} and has ended: ${verb} needs a loop that goes on; reopen it with a new message`;
    case 'SteeringError':
      return `${what} and has ended: nothing would read the message; reopen it with that message`;
    case 'LoopNotTerminal':
      return `${what} and has not ended: send the message with steer`;
    case 'NothingToRetry':
      return loop.status === 'paused' ? `${what}: resume it` : `${what} and did not fail: reopen it with a new message`;
    default:
      return `${what}: ${verb} is refused with ${code}`;
  }
}
