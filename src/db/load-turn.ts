/** The last look before money is spent: fence and transcript in one snapshot (R31). */

import { sql } from 'kysely';
import { LostLease } from '../domain/errors';
import type { Loop } from '../domain/loop';
import type { TranscriptMessage } from '../domain/message';
import type { Database } from './database';
import { type LoopRow, toLoop } from './repositories/loops.repository';
import { toTranscriptMessage, type TranscriptJson, transcriptJsonOf } from './repositories/messages.repository';
import { namingUnavailable } from './transaction';
import type { HeldTurn } from './turn-fence';

export interface LoadedTurn {
  readonly loop: Loop;
  readonly transcript: readonly TranscriptMessage[];
}

/** @throws LostLease where the turn is not held any more; DatabaseUnavailable */
export async function loadTurn(db: Database, { loopId, turnNumber, generation }: HeldTurn): Promise<LoadedTurn> {
  const { rows } = await namingUnavailable(() =>
    sql<LoopRow & { transcript: readonly TranscriptJson[] | null }>`
      select loops.*, ${transcriptJsonOf(loopId)} as transcript
      from solid_loop.loops
      where id = ${loopId} and turn_number = ${turnNumber} and generation = ${generation}
        and status = 'running' and lease_expires_at is not null`.execute(db),
  );
  const row = rows[0];
  if (row === undefined) throw new LostLease(`turn ${turnNumber} of loop ${loopId}`);
  return { loop: toLoop(row), transcript: (row.transcript ?? []).map(toTranscriptMessage) };
}
