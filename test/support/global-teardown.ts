/** After all tests: ends the stack of this run and removes its data. */

import { rm } from 'node:fs/promises';
import { removePostgresFolder } from '../../src/dev/postgres-folder';
import { takeTestStack } from './test-stack';

// Jest wants a default export here.
export default async function tearDown(): Promise<void> {
  const kept = takeTestStack();
  if (kept === undefined) return;
  await kept.stack.stop();
  await removePostgresFolder(kept.folder);
  await rm(kept.folder, { recursive: true });
}
