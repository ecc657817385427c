/** Middleware: builds the request from instructions, transcript and tools (R32). */

import type { LlmMiddleware } from '../../agents/middleware';
import { SolidLoopError } from '../../domain/errors';
import { endpointOf } from '../families/provider-family';
import { readOutput } from '../output/read-output';
import type { LlmPorts } from '../ports';
import { providerOf } from '../providers/provider-of';

export function messageBuilding(ports: LlmPorts): LlmMiddleware {
  return async (context, next) => {
    const { model, instructions, transcript, tools, agent } = context;
    if (model === undefined)
      throw new SolidLoopError('InternalError', 'message-building ran before agent-initialization had set the model');
    const output = agent.output === undefined ? undefined : readOutput(agent.output);
    context.request = providerOf(model).buildRequest({
      model,
      instructions,
      transcript,
      tools,
      output,
      learnt: ports.memory.get(endpointOf(model)),
    });
    await next();
  };
}
