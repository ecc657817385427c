/** Compares the tables with Temporal and repairs what Temporal lost (R70-R73). */

import { reconcile } from '../db/reconcile';
import type { ActivityDependencies } from './dependencies';
import { withMappedFailures } from './with-mapped-failures';

export const createReconcile = (deps: ActivityDependencies) =>
  withMappedFailures(async (): Promise<Readonly<Record<string, number>>> =>
    reconcile(deps.db, deps.temporal, { namespaceId: deps.namespaceId, settings: deps.settings, dryRun: false }),
  );
