/** What an agent's parameters say of its tools, as the API is told it. */

import type { OfferedTool } from '../../agents/middleware';
import { isObject } from '../foreign-json';

type Fields = Readonly<Record<string, unknown>>;

/** Sent only beside tools: without them some servers refuse it (P91). A tool that is forced is asked for by the name that the server was told (R83). */
export function toolParameters({ tool_choice: choice, parallel_tool_calls: parallel }: Fields, offered: readonly OfferedTool[]): Fields {
  return {
    ...(choice === undefined ? {} : { tool_choice: toExposedChoice(choice, offered) }),
    ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
  };
}

/** A word, or in the API's own form one tool or several. */
function toExposedChoice(choice: unknown, offered: readonly OfferedTool[]): unknown {
  if (Array.isArray(choice)) return choice.map((part) => toExposedChoice(part, offered));
  if (!isObject(choice)) return choice;
  return Object.fromEntries(
    Object.entries(choice).map(([key, value]) => [key, key === 'name' ? exposedName(value, offered) : toExposedChoice(value, offered)]),
  );
}

const exposedName = (name: unknown, offered: readonly OfferedTool[]): unknown =>
  offered.find(({ tool }) => tool.name === name)?.exposedName ?? name;
