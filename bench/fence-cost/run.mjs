// What the fences and the renewal of leases cost: this engine beside a copy of it without them, in one run.
//
// Usage: DATABASE_URL=… TEMPORAL_ADDRESS=… npm run bench:fences -- [--turns 20] [--loops 50] [--rounds 3]
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { copyTree, patchTree } from '../../scripts/patched-copy.mjs';
import { WITHOUT_FENCES } from './without-fences.mjs';

const tree = copyTree();
patchTree(tree, WITHOUT_FENCES);
const { status } = spawnSync(
  'npx',
  ['tsx', join(import.meta.dirname, '../turns.ts'), '--beside', tree, '--as', 'without fences', ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
