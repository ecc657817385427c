/** Counts requests and tokens of a model in the running minute, over all workers (table `rate_windows`). */

import { sql } from 'kysely';
import type { RateGovernor } from '../../domain/rate-governor';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';

/** The database's clock alone says which minute it is. Both throw DatabaseUnavailable. */
export function createRateGovernor(db: Database): RateGovernor {
  return {
    reserve: async (key, { requestsPerMinute = null, tokensPerMinute = null }) => {
      const taking = sql<{ wait_ms: number }>`
        with clock as materialized (select at, date_trunc('minute', at) as minute from (select clock_timestamp() as at) as now),
        swept as (
          delete from solid_loop.rate_windows where model_key = ${key} and window_start < (select minute - interval '1 hour' from clock)
        ),
        taken as (
          insert into solid_loop.rate_windows as window_of_key (model_key, window_start, requests)
          select ${key}, minute, 1 from clock
          on conflict (model_key, window_start) do update set requests = window_of_key.requests + 1
            where (${requestsPerMinute}::bigint is null or window_of_key.requests < ${requestsPerMinute}::bigint)
              and (${tokensPerMinute}::bigint is null or window_of_key.tokens < ${tokensPerMinute}::bigint)
          returning 1
        )
        select case when exists (select 1 from taken) then 0
                    else greatest(1, ceil(extract(epoch from (minute + interval '1 minute' - at)) * 1000))::integer end as wait_ms
        from clock`;
      const { rows } = await namingUnavailable(() => taking.execute(db));
      return rows[0]?.wait_ms ?? 0;
    },
    settle: async (key, tokens) => {
      const counting = sql`
        insert into solid_loop.rate_windows as window_of_key (model_key, window_start, tokens)
        values (${key}, date_trunc('minute', clock_timestamp()), ${tokens})
        on conflict (model_key, window_start) do update set tokens = window_of_key.tokens + excluded.tokens`;
      await namingUnavailable(() => counting.execute(db));
    },
  };
}
