/** Each statement is parsed and planned once for a connection: the transactions of a turn are large, and always the same. */

import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Pool, PoolClient } from 'pg';

/** Texts past this number are sent unnamed: they vary with their input, and names would only fill the server's memory. */
const NAMES_LIMIT = 500;

/** "cached plan must not change result type": a migration changed a table under a statement that was prepared before it. */
const FEATURE_NOT_SUPPORTED = '0A000';

/** The pool as the query builder sees it, its statements prepared under a name for each text. */
export function withPreparedStatements(pool: Pool): PostgresPool {
  const names = new Map<string, string>();
  return { connect: async () => toPreparing(await pool.connect(), names), end: () => pool.end() };
}

function toPreparing(client: PoolClient, names: Map<string, string>): PostgresPoolClient {
  let isStale = false;
  const query = async (text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown>> => {
    const name = values.length === 0 ? undefined : nameOf(text, names);
    try {
      return (await client.query({
        text,
        values: [...values],
        ...(name === undefined ? {} : { name }),
      })) as unknown as PostgresQueryResult<unknown>;
    } catch (error) {
      isStale ||= error instanceof Error && 'code' in error && error.code === FEATURE_NOT_SUPPORTED;
      throw error;
    }
  };
  return { query: query as PostgresPoolClient['query'], release: (destroy) => client.release(destroy === true || isStale) };
}

function nameOf(text: string, names: Map<string, string>): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= NAMES_LIMIT) return known;
  const name = `solid_loop_${names.size + 1}`;
  names.set(text, name);
  return name;
}
