/** The one way into a transaction, and what its errors mean (R24). */

import { messageOf, SolidLoopError } from '../domain/errors';
import type { Database, DatabaseTransaction } from './database';
import { isDatabaseUnavailable, isSchemaFault } from './postgres/is-database-unavailable';

/**
 * Commits what `action` wrote, or nothing. No user code, network or second connection inside (R23).
 * @throws DatabaseUnavailable where nobody can say whether it was committed, or it can succeed later; SchemaMismatch where it can when
 * the tables are those of this code
 */
export function inTransaction<Result>(db: Database, action: (trx: DatabaseTransaction) => Promise<Result>): Promise<Result> {
  return namingUnavailable(() => db.transaction().execute(action));
}

/**
 * For a single statement outside a transaction.
 * @throws DatabaseUnavailable
 */
export async function namingUnavailable<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw toNamed(error);
  }
}

/** R24: what may succeed later is no failure of a step; a value or a constraint is. */
function toNamed(error: unknown): unknown {
  if (error instanceof SolidLoopError) return error;
  if (isSchemaFault(error)) {
    const sentence = `the tables are not those of this code: ${messageOf(error)}; \`solidloop migrate\` brings older ones up, newer ones need a newer worker`;
    return new SolidLoopError('SchemaMismatch', sentence, { cause: error });
  }
  if (!isDatabaseUnavailable(error)) return error;
  return new SolidLoopError(
    'DatabaseUnavailable',
    `the database did not answer: ${messageOf(error)}; is Postgres up, and DATABASE_URL right?`,
    {
      cause: error,
    },
  );
}

/** True for a unique violation, of the named constraint or index if one is given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '23505') return false;
  return constraint === undefined || ('constraint' in error && error.constraint === constraint);
}
