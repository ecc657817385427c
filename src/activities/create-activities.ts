/** All activities of a worker, by the names that Temporal knows. */

import { createCancelOwnWorkflow } from './cancel-own-workflow';
import { createCloseLoop } from './close-loop';
import { createControl } from './control';
import type { ActivityDependencies } from './dependencies';
import { createNotifyFinished } from './finished/notify-finished';
import { createOpenLoop } from './open-loop';
import { createReadNextStep } from './read-next-step';
import { createReconcile } from './reconcile';
import { createRunTool } from './run-tool';
import { createRunTurn } from './run-turn';

export type Activities = ReturnType<typeof createActivities>;

export const createActivities = (deps: ActivityDependencies) => ({
  openLoop: createOpenLoop(deps),
  readNextStep: createReadNextStep(deps),
  runTurn: createRunTurn(deps),
  runTool: createRunTool(deps),
  closeLoop: createCloseLoop(deps),
  notifyFinished: createNotifyFinished(deps),
  control: createControl(deps),
  cancelOwnWorkflow: createCancelOwnWorkflow(deps),
  reconcile: createReconcile(deps),
});
