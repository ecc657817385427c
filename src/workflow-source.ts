/** Where a worker takes its workflow code from: the bundle that the build made, or the sources, bundled at start. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerOptions } from '@temporalio/worker';

const BUILT_BUNDLE = join(__dirname, '..', 'workflow-bundle.js');

export const workflowSource = (): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> =>
  existsSync(BUILT_BUNDLE) ? { workflowBundle: { codePath: BUILT_BUNDLE } } : { workflowsPath: require.resolve('./workflows') };
