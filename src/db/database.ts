/** Opens the pool and the typed query builder over it. */

import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import { Pool } from 'pg';
import { withAnswerDeadlines } from './postgres/deadline-pool';
import { withPreparedStatements } from './postgres/prepared-statements';
import type { DB } from './tables/generated';

export type Database = Kysely<DB>;
export type DatabaseTransaction = Transaction<DB>;

export interface DatabaseOptions {
  readonly connectionString: string;
  /** Most connections of the pool. @default 10 */
  readonly poolSize?: number;
  /** A claim or commit waits at most so long for a connection. Seconds. @default 10 */
  readonly poolTimeoutSeconds?: number;
  /** A statement that got no answer for so long has failed, and its connection with it: the network swallowed one of the two. Seconds. @default 35 */
  readonly answerTimeoutSeconds?: number;
  /** False behind a pooler that gives each transaction another connection and does not keep prepared statements. @default true */
  readonly preparesStatements?: boolean;
  /** Shown in pg_stat_activity. @default 'solidloop' */
  readonly applicationName?: string;
  /** Told of errors of idle connections; the pool replaces them. */
  readonly onIdleError: (error: Error) => void;
}

const LOCK_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Past the server's own limit of a statement, which speaks first where it can. */
const DEFAULT_ANSWER_TIMEOUT_SECONDS = 35;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;

/** A connection that is cut while it is lent out: its statement, or the next one, fails with it. Unheard, it would end the process. */
const ignoreWhileLent = (): void => undefined;

/** Nothing is connected until the first query. `destroy()` of the result ends the pool. */
export function createDatabase(options: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: options.connectionString,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: (options.poolTimeoutSeconds ?? 10) * 1000,
    application_name: options.applicationName ?? 'solidloop',
    lock_timeout: LOCK_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: (options.answerTimeoutSeconds ?? DEFAULT_ANSWER_TIMEOUT_SECONDS) * 1000,
    keepAlive: true,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  });
  // A connection that the pool is closing anyway may be cut by a server that stops too.
  pool.on('error', (error) => (pool.ending ? undefined : options.onIdleError(error)));
  pool.on('connect', (client) => client.on('error', ignoreWhileLent));
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool: withAnswerDeadlines(options.preparesStatements === false ? pool : withPreparedStatements(pool)) }),
  }).withSchema('solid_loop');
}
