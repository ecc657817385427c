/** The search attributes under which loops are found in Temporal. */

import type { Connection } from '@temporalio/client';
import { messageOf } from '../domain/errors';
import { DevStackError } from './dev-stack-error';

export const SEARCH_ATTRIBUTES = ['SolidLoopAgent', 'SolidLoopStatus', 'SolidLoopSubject'] as const;

const KEYWORD = 2;

/** Those that the namespace does not have. */
export async function findMissingSearchAttributes(connection: Connection, namespace: string): Promise<readonly string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return SEARCH_ATTRIBUTES.filter((name) => !(name in customAttributes));
}

/**
 * Registers what is missing.
 * @throws DevStackError with the command for it, where the server does not let us
 */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const missing = await findMissingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  } catch (error) {
    const names = missing.map((name) => `--name ${name}`).join(' ');
    throw new DevStackError(
      `the Temporal namespace "${namespace}" lacks search attributes and they cannot be added (${messageOf(error)}): run "temporal operator search-attribute create --namespace ${namespace} ${names} --type Keyword"`,
      { cause: error },
    );
  }
}
