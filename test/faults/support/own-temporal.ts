/** A Temporal server of a run's own, which may be killed and started again on its data; the shared one is nobody's to stop. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTemporal } from '../../../src/dev/temporal';
import { findFreePort } from '../../../src/util/free-port';
import type { ManagedProcess } from '../../../src/util/managed-process';
import { waitUntil } from '../../support/wait-until';

export interface OwnTemporal {
  /** host:port */
  readonly address: string;
  /** SIGKILL, and another server on its data. Who asks meanwhile waits for the same start. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function startOwnTemporal(): Promise<OwnTemporal> {
  const folder = mkdtempSync(join(tmpdir(), 'solidloop-temporal-'));
  const port = await findFreePort();
  const processes: ManagedProcess[] = [];
  let restarting: Promise<void> | undefined;
  const start = () =>
    startTemporal({
      cli: { command: process.env.TEMPORAL_CLI ?? 'temporal', leadingArguments: [] },
      dataFolder: folder,
      port,
      onProcess: async (server) => void processes.push(server),
    });
  const restart = async (): Promise<void> => {
    const running = processes.at(-1);
    if (running === undefined) throw new Error('no server was started');
    process.kill(running.pid, 'SIGKILL');
    // Until it is gone it keeps the port.
    await waitUntil('the end of Temporal’s server', () => Promise.resolve(running.end() !== undefined));
    await start();
  };
  const { address } = await start();
  return {
    address,
    restart: () => (restarting ??= restart().finally(() => (restarting = undefined))),
    close: async () => {
      await Promise.all(processes.map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
