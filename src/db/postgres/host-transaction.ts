/** This package's statements inside a transaction of the host's own, through whatever driver it uses. */

import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { DatabaseTransaction } from '../database';
import type { DB } from '../tables/generated';

/** A client inside a transaction: `pg.Client`, a pool's client, or three lines around another driver. `$1` marks the first value. */
export interface QueryExecutor {
  query(text: string, values: unknown[]): Promise<{ readonly rows: unknown[] }>;
}

/** Begins and ends nothing: the transaction is the host's. */
export function inHostTransaction<Result>(executor: QueryExecutor, action: (trx: DatabaseTransaction) => Promise<Result>): Promise<Result> {
  return new Kysely<DB>({ dialect: dialectOver(executor) }).withSchema('solid_loop').transaction().execute(action);
}

const dialectOver = (executor: QueryExecutor): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => driverOver(executor),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});

function driverOver(executor: QueryExecutor): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({
      sql,
      parameters,
    }: {
      readonly sql: string;
      readonly parameters: readonly unknown[];
    }): Promise<QueryResult<Row>> {
      const { rows } = await executor.query(sql, [...parameters]);
      return { rows: rows as Row[] };
    },
    streamQuery() {
      throw new Error("rows are not streamed inside a host's transaction");
    },
  };
  const nothing = async (): Promise<void> => undefined;
  return {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  };
}
