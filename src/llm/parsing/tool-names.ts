/** From the name that a model wrote to the tool it was offered (R83, P70). Never by likeness. */

import type { OfferedTool } from '../../agents/middleware';

export interface NamedTool {
  /** The clean name; of the tool itself where it was found. */
  readonly name: string | undefined;
  readonly offered: OfferedTool | undefined;
}

const CHANNEL_TOKEN = '<|';
/** How templates show the name to the model, and how Kimi counts its calls: `functions.search:0`, `default_api:search`. */
const NAME_IN_TEMPLATE = /^(?:(?:functions|default_api)[.:])?(.*?)(?::\d+)?$/s;

export function resolveTool(written: unknown, tools: readonly OfferedTool[]): NamedTool {
  const name = typeof written === 'string' ? (written.split(CHANNEL_TOKEN)[0] ?? '').trim() : '';
  if (name === '') return { name: undefined, offered: undefined };
  const offered = find(name, tools) ?? find(NAME_IN_TEMPLATE.exec(name)?.[1] ?? '', tools);
  return { name: offered?.tool.name ?? name, offered };
}

/** By the name that was offered; models have been seen to use the true one as well. */
function find(name: string, tools: readonly OfferedTool[]): OfferedTool | undefined {
  return tools.find((offered) => offered.exposedName === name) ?? tools.find((offered) => offered.tool.name === name);
}
