/** Writes the offered tools as chat completions want them (P91, P92, P94). */

import type { OfferedTool } from '../../agents/middleware';
import type { FamilyTraits } from '../families/provider-family';
import type { ConversationItem } from './conversation';
import { normaliseSchema } from './normalise-schema';

/** A tool in nobody's words yet. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Empty: the request has no tools at all. Where the family demands it, calls of the history are defined though nobody offers them now. */
export function describeTools(
  tools: readonly OfferedTool[],
  items: readonly ConversationItem[],
  traits: FamilyTraits,
): readonly ToolDescription[] {
  if (tools.length > 0 || !traits.toolsForHistory) {
    return tools.map(({ exposedName, tool }) => ({
      name: exposedName,
      description: tool.description,
      parameters: normaliseSchema(tool.inputSchema, traits.schemaDialect),
    }));
  }
  const names = new Set(items.flatMap((item) => (item.role === 'assistant' ? item.calls.map((call) => call.name) : [])));
  return [...names].map((name) => ({ name, description: 'Not available any more.', parameters: normaliseSchema({}) }));
}

export const toChatTool = ({ name, description, parameters }: ToolDescription): Readonly<Record<string, unknown>> => ({
  type: 'function',
  function: { name, description, parameters },
});
