/** The last look before money is spent: fence and transcript in one snapshot (R31). */

import { sql } from 'kysely';
import { LostLease } from '../../domain/errors';
import type { TranscriptMessage } from '../../domain/message';
import type { Database } from '../database';
import { findTranscriptIf } from '../repositories/messages.repository';
import type { HeldTurn } from './turn-fence';

/** @throws LostLease where the turn is not held any more; DatabaseUnavailable */
export async function loadTurn(db: Database, { loopId, turnNumber, generation }: HeldTurn): Promise<readonly TranscriptMessage[]> {
  const isHeld = sql`loops.turn_number = ${turnNumber} and loops.generation = ${generation} and loops.status = 'running'
    and loops.lease_expires_at is not null`;
  const transcript = await findTranscriptIf(db, loopId, isHeld);
  if (transcript === undefined) throw new LostLease(`turn ${turnNumber} of loop ${loopId}`);
  return transcript;
}
