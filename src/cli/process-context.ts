/** The context of the real process: its streams, its environment, real connections. */

import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, Connection } from '@temporalio/client';
import { CONFIG_FILE_NAMES, loadConfig } from '../agents/load-config';
import { SolidLoopClient } from '../client/solid-loop-client';
import { createTemporalDriver } from '../client/temporal-driver';
import { readEnvironment } from '../config/environment';
import { offerModel } from '../config/offer-model';
import { createDatabase } from '../db/database';
import { isHeld, LOCK_FILE, readLock, type StackAddresses } from '../dev/stack-lock';
import { ensureSearchAttributes, findMissingSearchAttributes } from '../dev/search-attributes';
import { messageOf, SolidLoopError } from '../domain/errors';
import type { CliContext, TemporalAddress, TemporalSession } from './context';
import { createPaint } from './render/paint';
import { loadRunPreflight, loadRunWorker } from './worker-side';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function createProcessContext(): CliContext {
  return {
    version: readVersion(),
    terminal: {
      write: (output) => void process.stdout.write(output),
      writeError: (line) => void process.stderr.write(`${line}\n`),
      isInteractive: process.stdout.isTTY,
      paint: createPaint(process.stdout.isTTY),
      paintError: createPaint(process.stderr.isTTY),
    },
    readEnvironment: () => readEnvironment(),
    loadConfig: (folder, model) => {
      if (model !== undefined) offerModel(model);
      return loadConfig(folder);
    },
    hasConfig: (folder) => CONFIG_FILE_NAMES.some((name) => existsSync(join(folder, name))),
    operator: operatorName(),
    connect: (options) => SolidLoopClient.connect(options),
    openTemporal,
    preflight: (addresses, agents) => loadRunPreflight()(addresses, agents),
    runWorker: (environment, config) => loadRunWorker()(environment, config),
    openDatabase: (connectionString) =>
      createDatabase({ connectionString, poolSize: 2, applicationName: 'solidloop-cli', onIdleError: () => undefined }),
    findStack,
    developerCommand: __filename.endsWith('.ts') ? 'npm start --' : 'npx solidloop dev',
    readInput: () => text(process.stdin),
    now: () => new Date(),
    withInterrupt,
  };
}

/** The package names itself, so that the sources and the compiled files find the same one. */
function readVersion(): string {
  const { version } = JSON.parse(readFileSync(require.resolve('solidloop/package.json'), 'utf8')) as { readonly version: string };
  return version;
}

/** Containers may run as a user without a name. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

async function findStack(dataFolder: string): Promise<StackAddresses | undefined> {
  const content = await readLock(join(dataFolder, LOCK_FILE));
  return content !== undefined && content !== 'broken' && content.state === 'ready' && (await isHeld(content))
    ? content.addresses
    : undefined;
}

/** @throws TemporalUnavailable */
async function openTemporal({ temporalAddress: address, namespace }: TemporalAddress): Promise<TemporalSession> {
  const connection = await Connection.connect({ address }).catch((error: unknown) => {
    throw new SolidLoopError('TemporalUnavailable', `Temporal does not answer at ${address}: ${messageOf(error)}; is it running?`, {
      cause: error,
    });
  });
  return {
    driver: createTemporalDriver(new Client({ connection, namespace })),
    registerSearchAttributes: async () => {
      const missing = await findMissingSearchAttributes(connection, namespace);
      await ensureSearchAttributes(connection, namespace);
      return missing;
    },
    close: () => connection.close(),
  };
}

/** A second Ctrl-C ends the process at once. */
async function withInterrupt<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const interrupt = (name: NodeJS.Signals): void => controller.abort(new SolidLoopError('WorkerShutdown', `stopped by ${name}`));
  for (const name of STOP_SIGNALS) process.once(name, interrupt);
  try {
    return await run(controller.signal);
  } finally {
    for (const name of STOP_SIGNALS) process.removeListener(name, interrupt);
  }
}
