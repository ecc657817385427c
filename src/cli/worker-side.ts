/** Loads what only a worker process needs: Temporal's worker takes over a second to load, and `solidloop list` should not wait for it. */

type RunWorker = typeof import('../run-worker');
type DevSessions = typeof import('./dev-session');
type RunPreflight = typeof import('../run-preflight');

/* eslint-disable @typescript-eslint/no-require-imports -- an `import` would load it with every command */
export const loadRunWorker = (): RunWorker['runWorker'] => (require('../run-worker') as RunWorker).runWorker;

export const loadWithDevSession = (): DevSessions['withDevSession'] => (require('./dev-session') as DevSessions).withDevSession;

export const loadRunPreflight = (): RunPreflight['runPreflight'] => (require('../run-preflight') as RunPreflight).runPreflight;
