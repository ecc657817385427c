/** What a turn paid for answers that were thrown away: counted on the loop, and shown on the row of the turn (R5, R6). */

import { sql } from 'kysely';
import type { Spend } from '../../domain/usage';
import type { DatabaseTransaction } from '../database';
import { toJsonb } from '../postgres/jsonb';
import type { HeldTurn } from './turn-fence';

export interface DiscardingTurn extends HeldTurn {
  /** As far as the providers said it. @default nothing */
  readonly discarded?: Spend | undefined;
}

/** The field of an assistant row's metadata that says it. */
export const discardedField = (discarded: Spend | undefined): { readonly discarded?: Spend } =>
  discarded === undefined ? {} : { discarded };

/** For a turn that ends without an answer; a commit counts it in its own statement. The caller holds the loop's lock. */
export async function addDiscarded(trx: DatabaseTransaction, { loopId, discarded }: DiscardingTurn): Promise<void> {
  if (discarded === undefined) return;
  await sql`
    with shells as (
      update solid_loop.messages set metadata = metadata || ${toJsonb(discardedField(discarded))}
      where loop_id = ${loopId} and role = 'assistant' and status = 'processing'
    )
    update solid_loop.loops
    set cost_discarded = cost_discarded + ${discarded.cost.amountUsd}::numeric, cost_known = cost_known and ${discarded.cost.isKnown}
    where id = ${loopId}`.execute(trx);
}
