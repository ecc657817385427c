/** The last look before money is spent: fence and transcript in one snapshot (R31). */

import { LostLease } from '../../domain/errors';
import type { Loop } from '../../domain/loop';
import type { TranscriptMessage } from '../../domain/message';
import type { Database } from '../database';
import { toLoop } from '../repositories/loops.repository';
import { findMessages } from '../repositories/messages.repository';
import { inSnapshot } from '../transaction';
import type { HeldTurn } from './turn-fence';

export interface LoadedTurn {
  readonly loop: Loop;
  readonly transcript: readonly TranscriptMessage[];
}

/** @throws LostLease where the turn is not held any more; DatabaseUnavailable */
export function loadTurn(db: Database, { loopId, turnNumber, generation }: HeldTurn): Promise<LoadedTurn> {
  return inSnapshot(db, async (trx) => {
    const row = await trx
      .selectFrom('loops')
      .selectAll()
      .where('id', '=', loopId)
      .where('turn_number', '=', turnNumber)
      .where('generation', '=', generation)
      .where('status', '=', 'running')
      .where('lease_expires_at', 'is not', null)
      .executeTakeFirst();
    if (row === undefined) throw new LostLease(`turn ${turnNumber} of loop ${loopId}`);
    return { loop: toLoop(row), transcript: await findMessages(trx, { loopId }) };
  });
}
