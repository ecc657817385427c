/** Opens Postgres and Temporal: those that are given, those of a stack that already runs in the data folder, or new ones. */

import { join } from 'node:path';
import type { ClosingList } from '../util/closing-list';
import type { ManagedProcess } from '../util/managed-process';
import { runTogether } from '../util/run-together';
import { waitUntil } from '../util/wait-until';
import { DevStackError } from './dev-stack-error';
import { endOrphans } from './end-orphans';
import { startPostgres } from './postgres';
import type { Print } from './print';
import type { OpenStackOptions } from './stack-options';
import {
  acquireLock,
  isHeld,
  LOCK_FILE,
  type LockAttempt,
  type LockContent,
  readLock,
  type StackAddresses,
  type StackLock,
} from './stack-lock';
import { choosePorts } from './stack-ports';
import { startTemporal } from './temporal';
import { findTemporalCli } from './temporal-cli';

const OTHER_START_TIMEOUT_MS = 300_000;

export interface StackServers {
  /** Whether this call started servers; false beside a running stack or with servers that were given. */
  readonly owned: boolean;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  /** Of Temporal's own UI, if it is embedded and has one. */
  readonly uiUrl: string | undefined;
}

export interface OpenedServers {
  readonly servers: StackServers;
  /** What is embedded, here or in the stack that runs already. */
  readonly embedded: StackAddresses;
  /** Held by this process alone; absent beside a running stack or with servers that were given. */
  readonly lock: StackLock | undefined;
}

/** @throws DevStackError; what was started is in the closing list */
export async function openServers(options: OpenStackOptions, closing: ClosingList): Promise<OpenedServers> {
  const { databaseUrl, temporalAddress, temporalNamespace } = options.environment;
  if (databaseUrl !== undefined && temporalAddress !== undefined) {
    return { servers: { owned: false, databaseUrl, temporalAddress, temporalNamespace, uiUrl: undefined }, embedded: {}, lock: undefined };
  }
  const attempt = await acquireOrJoin(options);
  if (attempt.kind === 'held') return joinServers(options, attempt.content);
  closing.add(attempt.lock.release);
  const embedded = await startServers(options, attempt.lock, closing);
  return { servers: toServers(options, embedded, true), embedded, lock: attempt.lock };
}

/** Registers a process that runs: to be stopped, and, where there is a lock, to be found by the next start if this process is killed. */
export async function registerProcess(name: string, process: ManagedProcess, { lock, closing, print }: RegisterOptions): Promise<void> {
  closing.add(process.stop);
  process.onUnexpectedEnd(() => print(`${name} ended by itself: see its log ${process.logFile}, then stop and start again`));
  await lock?.addChild(name, process.pid);
}

export interface RegisterOptions {
  readonly lock: StackLock | undefined;
  readonly closing: ClosingList;
  readonly print: Print;
}

/** The lock, or a running stack; a stack that is just starting is waited for. */
async function acquireOrJoin({ dataFolder, print, signal }: OpenStackOptions): Promise<LockAttempt> {
  const file = join(dataFolder, LOCK_FILE);
  for (;;) {
    const attempt = await acquireLock(dataFolder, (children) => endOrphans(children, print));
    if (attempt.kind === 'taken' || attempt.content.state === 'ready') return attempt;
    print(`another start (process ${attempt.content.owner.pid}) is under way in ${dataFolder}: waiting for it`);
    await waitUntil(() => isSettled(file), { timeoutMs: OTHER_START_TIMEOUT_MS, what: 'the end of the other start', signal });
  }
}

async function isSettled(file: string): Promise<boolean> {
  const content = await readLock(file);
  return content === undefined || content === 'broken' || content.state === 'ready' || !(await isHeld(content));
}

function joinServers(options: OpenStackOptions, { owner, addresses }: LockContent): OpenedServers {
  options.print(`using the stack that process ${owner.pid} runs in ${options.dataFolder}`);
  return { servers: toServers(options, addresses, false), embedded: addresses, lock: undefined };
}

function toServers({ environment, dataFolder }: OpenStackOptions, embedded: StackAddresses, owned: boolean): StackServers {
  const databaseUrl = environment.databaseUrl ?? embedded.databaseUrl;
  const temporalAddress = environment.temporalAddress ?? embedded.temporalAddress;
  if (databaseUrl === undefined || temporalAddress === undefined) {
    const [lacking, variable] = databaseUrl === undefined ? ['Postgres', 'DATABASE_URL'] : ['Temporal', 'TEMPORAL_ADDRESS'];
    throw new DevStackError(
      `the stack that runs in ${dataFolder} has no ${lacking} of its own: set ${variable} to the one it was started with, or stop it`,
    );
  }
  const isEmbedded = environment.temporalAddress === undefined;
  return {
    owned,
    databaseUrl,
    temporalAddress,
    temporalNamespace: (isEmbedded ? embedded.temporalNamespace : undefined) ?? environment.temporalNamespace,
    uiUrl: isEmbedded ? embedded.uiUrl : undefined,
  };
}

async function startServers(options: OpenStackOptions, lock: StackLock, closing: ClosingList): Promise<StackAddresses> {
  const { environment, dataFolder, cacheFolder, print, signal, durable, headless } = options;
  const ports = await choosePorts(options.ports ?? 'usual', print);
  const register = (name: string) => (process: ManagedProcess) => registerProcess(name, process, { lock, closing, print });
  const postgres = async (either: AbortSignal): Promise<StackAddresses> => {
    if (environment.databaseUrl !== undefined) return {};
    const { url } = await startPostgres({
      ...{ dataFolder, port: ports.postgres, print, signal: either, onProcess: register('Postgres') },
      ...(durable === undefined ? {} : { durable }),
    });
    print(`Postgres: ${url}`);
    return { databaseUrl: url };
  };
  const temporal = async (either: AbortSignal): Promise<StackAddresses> => {
    if (environment.temporalAddress !== undefined) return {};
    const cli = await findTemporalCli({ ...environment, cacheFolder, print, signal: either });
    const uiPort = headless === true ? undefined : ports.ui;
    const { address, namespace, uiUrl } = await startTemporal({
      cli,
      dataFolder,
      port: ports.temporal,
      uiPort,
      signal: either,
      onProcess: register('Temporal'),
    });
    print(`Temporal: ${address}${uiUrl === undefined ? '' : `, its UI ${uiUrl}`}`);
    return { temporalAddress: address, temporalNamespace: namespace, ...(uiUrl === undefined ? {} : { uiUrl }) };
  };
  const [first, second] = await runTogether([postgres, temporal], signal);
  return { ...first, ...second };
}
