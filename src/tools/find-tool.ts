/** The tool of an agent that a call names. */

import type { Agent } from '../agents/agent';
import type { ToolDefinition } from '../agents/tool';

export const findTool = (agent: Agent, name: string): ToolDefinition | undefined => agent.tools?.find((tool) => tool.name === name);
