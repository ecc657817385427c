/** Whether an attempt still holds its tool call, read under the locks of loop and call (R21). */

import type { ClaimNumber, Generation, ToolCallId } from '../../domain/ids';
import type { LockedLoop } from '../repositories/loops.repository';
import type { LockedToolCall } from '../repositories/tool-calls.repository';

/** What an attempt holds since its claim. */
export interface HeldToolCall {
  readonly callId: ToolCallId;
  readonly generation: Generation;
  /** What the claim gave. */
  readonly claimNumber: ClaimNumber;
}

/** The fence of every canonical write: the loop's generation and `running`, and the call's claim number. */
export function holdsToolCall(locked: LockedLoop, lockedCall: LockedToolCall, held: HeldToolCall): boolean {
  return holdsGeneration(locked, held.generation) && lockedCall.claimNumber === held.claimNumber;
}

export function holdsGeneration({ facts }: LockedLoop, generation: Generation): boolean {
  return facts.status === 'running' && facts.generation === generation;
}

/** The fence of the checkpoint alone (R54): of an `unsafe` call the claim that started it may write too, whatever came after. */
export function mayCheckpoint({ call, claimNumber, startedClaim }: LockedToolCall, mine: ClaimNumber): boolean {
  return claimNumber === mine || (call.effect === 'unsafe' && startedClaim === mine);
}
