/** No wait for the database is endless: a connection on which one statement got no answer in time is thrown away with it (R24). */

import type { PostgresPool, PostgresPoolClient } from 'kysely';

/** The driver's words where its `query_timeout` has passed. */
const NO_ANSWER = 'Query read timeout';

/** Gives connections of `pool` that answer, or fail for good: what is asked after a silence fails at once. */
export function withAnswerDeadlines(pool: PostgresPool): PostgresPool {
  return { connect: async () => toFailing(await pool.connect()), end: () => pool.end() };
}

function toFailing(client: PostgresPoolClient): PostgresPoolClient {
  let isSilent = false;
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    if (isSilent) throw new Error('connection terminated: an earlier statement got no answer on it');
    try {
      return await client.query(text, values);
    } catch (error) {
      isSilent ||= error instanceof Error && error.message === NO_ANSWER;
      throw error;
    }
  };
  return { query: query as PostgresPoolClient['query'], release: (destroy) => client.release(destroy === true || isSilent) };
}
