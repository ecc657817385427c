/** The tool stack as it is before anybody changes it (R50). */

import { MiddlewareStack } from '../agents/middleware-stack';
import type { ToolStack } from '../agents/middleware';
import { agentInitialization } from './middleware/agent-initialization';
import { errorHandling } from './middleware/error-handling';
import { eventLogging } from './middleware/event-logging';
import { responseCreation } from './middleware/response-creation';
import { toolExecution } from './middleware/tool-execution';
import type { ToolRun } from './tool-run';

export interface DefaultToolStack {
  readonly stack: ToolStack;
  /** True where the changed stack still runs the default response directly after the default execution. */
  readonly settlesAtOnce: (changed: ToolStack) => boolean;
}

export function createDefaultToolStack<Answer>(run: ToolRun<Answer>): DefaultToolStack {
  const execution = toolExecution(run);
  const response = responseCreation(run);
  const stack: ToolStack = new MiddlewareStack([
    { name: 'error-handling', middleware: errorHandling(run) },
    { name: 'agent-initialization', middleware: agentInitialization(run) },
    { name: 'event-logging', middleware: eventLogging(run) },
    { name: 'tool-execution', middleware: execution },
    { name: 'response-creation', middleware: response },
  ]);
  return { stack, settlesAtOnce: (changed) => changed.hasAdjacent(execution, response) };
}
