/** `setLimits`: the limits given replace those of the same name; the next claim of a turn looks at them (R45). */

import { sql } from 'kysely';
import { toJsonb } from '../../postgres/jsonb';
import { changed, type RequestOf, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function setLimits(context: VerbContext, { limits }: RequestOf<'setLimits'>): Promise<VerbOutcome> {
  await context.trx
    .updateTable('loops')
    .set({ limits: sql`limits || ${toJsonb(limits)}`, updated_at: sql`clock_timestamp()` })
    .where('id', '=', context.locked.loop.id)
    .execute();
  return changed(context);
}
