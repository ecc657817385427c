/** Which Temporal namespace these tables belong to (R8, R71): a restored copy on another server is recognised by it. */

import { sql } from 'kysely';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';

export type InstallationBinding =
  | { readonly kind: 'ours' }
  /** Nothing is started from here: `solidloop adopt` is the operator's answer. */
  | { readonly kind: 'foreign'; readonly namespaceId: string };

/** The first namespace that asks is the one they belong to. `namespaceId` is its id, not its name. @throws DatabaseUnavailable */
export async function bindInstallation(db: Database, namespaceId: string): Promise<InstallationBinding> {
  const bound = (await readBinding(db)) ?? (await bindFirst(db, namespaceId));
  return toBinding(bound, namespaceId);
}

/** The same, but tables that belong to none yet are left so. @throws DatabaseUnavailable */
export async function readInstallation(db: Database, namespaceId: string): Promise<InstallationBinding> {
  return toBinding((await readBinding(db)) ?? namespaceId, namespaceId);
}

function toBinding(bound: string, namespaceId: string): InstallationBinding {
  return bound === namespaceId ? { kind: 'ours' } : { kind: 'foreign', namespaceId: bound };
}

async function readBinding(db: Database): Promise<string | null> {
  const row = await namingUnavailable(() => db.selectFrom('installation').select('namespace_id').executeTakeFirst());
  return row?.namespace_id ?? null;
}

/** Of two that ask at once, the first is the answer to both. */
async function bindFirst(db: Database, namespaceId: string): Promise<string> {
  const { rows } = await namingUnavailable(() =>
    sql<{ namespace_id: string }>`
      update solid_loop.installation set namespace_id = coalesce(namespace_id, ${namespaceId}) returning namespace_id`.execute(db),
  );
  return rows[0]?.namespace_id ?? namespaceId;
}
