/** The ports of the stack: the usual ones, or free ones if those are busy. */

import { findFreePort } from '../util/free-port';
import type { Print } from './print';

export const USUAL_PORTS = { postgres: 54329, temporal: 7233, ui: 8233 } as const;

export interface StackPorts {
  readonly postgres: number;
  readonly temporal: number;
  readonly ui: number;
}

/** `usual`: tried first, and said if busy. `free`: any, for tests that run side by side. */
export async function choosePorts(wish: 'usual' | 'free', print: Print): Promise<StackPorts> {
  return {
    postgres: await choosePort(wish === 'usual' ? USUAL_PORTS.postgres : undefined, 'Postgres', print),
    temporal: await choosePort(wish === 'usual' ? USUAL_PORTS.temporal : undefined, 'Temporal', print),
    ui: await choosePort(wish === 'usual' ? USUAL_PORTS.ui : undefined, "Temporal's UI", print),
  };
}

async function choosePort(preferred: number | undefined, what: string, print: Print): Promise<number> {
  const port = await findFreePort(preferred);
  if (preferred !== undefined && port !== preferred) print(`${what}: port ${preferred} is busy, using ${port}`);
  return port;
}
