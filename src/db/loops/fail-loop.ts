/** Ends a locked loop as failed, and tells every process that held a part of it. */

import type { LoopId } from '../../domain/ids';
import { answerAtRest, type NextStepAnswer } from './answer-next-step';
import type { DatabaseTransaction } from '../database';
import { notifyControl } from './notify-control';
import { setLoopAtRest } from './set-loop-at-rest';

/** The caller holds the loop's lock and has checked its fences. `errorMessage` stays in the row (R9). */
export async function failLoop(trx: DatabaseTransaction, loopId: LoopId, errorCode: string, errorMessage: string): Promise<NextStepAnswer> {
  const failed = await setLoopAtRest(trx, loopId, { status: 'failed', errorCode, errorMessage });
  await notifyControl(trx, loopId);
  return answerAtRest(failed);
}
