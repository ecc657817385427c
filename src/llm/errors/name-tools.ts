/** Adds the tool's name where a provider speaks of it by position: `tools[17]` helps nobody (P94). */

import { isObject, objectAt } from '../foreign-json';

const TOOL_POSITION = /\btools(?:\[|\.)(\d{1,4})\]?/g;

export function nameTools(message: string, request: Readonly<Record<string, unknown>> | undefined): string {
  const tools = request?.tools;
  if (!Array.isArray(tools)) return message;
  return message.replace(TOOL_POSITION, (position, index: string) => {
    const name = nameOf((tools as readonly unknown[])[Number(index)]);
    return name === undefined ? position : `${position} ("${name}")`;
  });
}

function nameOf(tool: unknown): string | undefined {
  const name = objectAt(tool, 'function').name ?? (isObject(tool) ? tool.name : undefined);
  return typeof name === 'string' ? name : undefined;
}
