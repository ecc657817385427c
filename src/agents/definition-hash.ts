/** A stable hash of what an agent is, so that a loop's row tells which definition drove it. Secrets have no part in it. */

import { createHash } from 'node:crypto';
import type { AgentDefinition, McpServer, ModelSettings } from './agent';
import { isStandardSchema, toInputJsonSchema } from './standard-schema';
import type { ToolDefinition } from './tool';

/** sha256 in hex. Functions count by their source text: what they close over is not seen. */
export function definitionHashOf(definition: AgentDefinition): string {
  const { model, fallbacks = [], tools = [], mcp = [], output, hooks: _hooks, ...plain } = definition;
  const described = {
    ...plain,
    model: typeof model === 'function' ? model : describeModel(model),
    fallbacks: fallbacks.map((fallback) => ({ on: fallback.on, model: describeModel(fallback.model) })),
    tools: tools.map(describeTool),
    mcp: mcp.map(describeServer),
    output: output && { name: output.name, schema: isStandardSchema(output.schema) ? toInputJsonSchema(output.schema) : output.schema },
  };
  return createHash('sha256').update(canonicalJson(described)).digest('hex');
}

/** Keys, headers, prices and clients are how a model is reached, not what the agent is. */
const describeModel = ({ name, baseURL, api, parameters, stream }: ModelSettings): unknown => ({ name, baseURL, api, parameters, stream });

const describeTool = ({ run, source, reconcile, ...tool }: ToolDefinition): unknown => ({
  ...tool,
  source: source ?? run,
  reconciles: reconcile !== undefined,
});

const describeServer = ({ name, url, command, args, allow }: McpServer): unknown => ({ name, url, command, args, allow });

/** JSON with sorted keys; functions as their text; absent fields left out. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'function') return JSON.stringify(Function.prototype.toString.call(value));
  if (typeof value === 'bigint') return `"${value}n"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(',')}}`;
}
