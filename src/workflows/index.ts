/** The entry of the workflow bundle: what a worker can run. */

export { agentLoop } from './agent-loop';
export { reconcileLoops } from './reconcile-loops';
