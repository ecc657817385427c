/** Loads what only a worker process needs: Temporal's worker takes over a second to load, and `solidloop list` should not wait for it. */

import type { runPreflight } from '../run-preflight';
import type { runWorker } from '../run-worker';
import type { withDevSession } from './dev-session';

/* eslint-disable @typescript-eslint/no-require-imports -- an `import` would load it with every command */
export const loadRunWorker = (): typeof runWorker => (require('../run-worker') as { readonly runWorker: typeof runWorker }).runWorker;

export const loadWithDevSession = (): typeof withDevSession =>
  (require('./dev-session') as { readonly withDevSession: typeof withDevSession }).withDevSession;

export const loadRunPreflight = (): typeof runPreflight =>
  (require('../run-preflight') as { readonly runPreflight: typeof runPreflight }).runPreflight;
