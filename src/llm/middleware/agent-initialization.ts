/** Middleware: resolves what the agent says for this loop: model, instructions, tools (R30, R83). */

import type { LlmContext, LlmMiddleware } from '../../agents/middleware';
import { abortable } from '../abortable';
import type { LlmPorts } from '../ports';
import { exposeTools, type ToolToExpose } from '../request/expose-tools';

/** What is set already stays: a fallback's model, or what a middleware of the host put there. */
export function agentInitialization(ports: LlmPorts): LlmMiddleware {
  return async (context, next) => {
    const { agent, loop, guard } = context;
    context.model ??= typeof agent.model === 'function' ? await abortable(agent.model({ loop }), guard.signal) : agent.model;
    context.instructions ??=
      typeof agent.instructions === 'function' ? await abortable(agent.instructions({ loop }), guard.signal) : agent.instructions;
    if (context.tools.length === 0)
      context.tools = exposeTools([...(agent.tools ?? []).map((tool) => ({ tool })), ...(await mcpTools(context, ports))]);
    await next();
  };
}

async function mcpTools({ agent, loop, guard }: LlmContext, ports: LlmPorts): Promise<readonly ToolToExpose[]> {
  if (ports.mcpTools === undefined || (agent.mcp ?? []).length === 0) return [];
  return abortable(ports.mcpTools({ agent, loop, signal: guard.signal }), guard.signal);
}
