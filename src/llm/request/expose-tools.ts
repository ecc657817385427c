/** Gives each tool a name that providers accept and that maps back to it (R83). */

import { createHash } from 'node:crypto';
import type { OfferedTool } from '../../agents/middleware';

const NAME_LIMIT_CHARS = 64;
const ACCEPTED_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const HASH_LENGTH = 8;

export type ToolToExpose = Omit<OfferedTool, 'exposedName'>;

/** In the order given. Of two tools with one name the first is offered, since a call names one tool. */
export function exposeTools(tools: readonly ToolToExpose[]): readonly OfferedTool[] {
  const unique = tools.filter((candidate, index) => tools.findIndex(({ tool }) => tool.name === candidate.tool.name) === index);
  // Names that may stay as they are go first: a changed name never takes one away.
  const taken = new Set(unique.map(({ tool }) => tool.name).filter((name) => ACCEPTED_NAME.test(name)));
  return unique.map((offered) => {
    const exposedName = ACCEPTED_NAME.test(offered.tool.name) ? offered.tool.name : freeName(offered.tool.name, taken);
    taken.add(exposedName);
    return { ...offered, exposedName };
  });
}

/** The names of a request: of the tools offered, and of those that only its history speaks of. */
export function createNameEncoder(tools: readonly OfferedTool[]): (name: string) => string {
  const exposed = new Map(tools.map((offered) => [offered.tool.name, offered.exposedName]));
  const taken = new Set(tools.map((offered) => offered.exposedName));
  return (name) => {
    const known = exposed.get(name);
    if (known !== undefined) return known;
    const encoded = ACCEPTED_NAME.test(name) && !taken.has(name) ? name : freeName(name, taken);
    exposed.set(name, encoded);
    taken.add(encoded);
    return encoded;
  };
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  const replaced = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  const started = /^[a-zA-Z_]/.test(replaced) ? replaced : `_${replaced}`;
  if (started.length <= NAME_LIMIT_CHARS && !taken.has(started)) return started;
  for (let round = 0; ; round += 1) {
    const hash = createHash('sha256').update(`${name} ${round}`).digest('hex').slice(0, HASH_LENGTH);
    const hashed = `${started.slice(0, NAME_LIMIT_CHARS - HASH_LENGTH - 1)}_${hash}`;
    if (!taken.has(hashed)) return hashed;
  }
}
