/** Whether an attempt still holds its turn, read under the loop's lock (R4, R24). */

import type { Generation, LoopId } from '../../domain/ids';
import type { LockedLoop } from '../repositories/loops.repository';

/** What an attempt holds since its claim. */
export interface HeldTurn {
  readonly loopId: LoopId;
  readonly turnNumber: number;
  /** What the claim gave. */
  readonly generation: Generation;
}

export function holdsTurn({ facts }: LockedLoop, { turnNumber, generation }: HeldTurn): boolean {
  return facts.status === 'running' && facts.turnNumber === turnNumber && facts.generation === generation;
}
