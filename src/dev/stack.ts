/** The development stack: Postgres, Temporal and, when asked for, a model, each given or embedded, in one data folder. */

import { resolve } from 'node:path';
import { messageOf } from '../domain/errors';
import { type ClosingList, createClosingList } from '../util/closing-list';
import { createDataFolder } from './data-folder';
import type { ModelEndpoint } from './model-endpoint';
import { openModel } from './open-model';
import { openServers, type StackServers } from './open-servers';
import type { StackAddresses } from './stack-lock';
import type { OpenStackOptions, StackOptions } from './stack-options';
import { verifyPostgres } from './verify-postgres';
import { verifyTemporal } from './verify-temporal';
import { withStopSignals } from './with-stop-signals';

export interface DevStack extends StackServers {
  readonly model: ModelEndpoint | undefined;
  /** Ends only what this call started, in reverse order. Idempotent. */
  readonly stop: () => Promise<void>;
}

/**
 * Beside a stack that already runs in the data folder, that stack is answered (`owned` is false).
 * While it starts, SIGINT, SIGTERM and SIGHUP stop it; later they are the caller's.
 * @throws DevStackError, one sentence on what and what to do; nothing is left running then
 */
export async function startStack(options: StackOptions): Promise<DevStack> {
  const closing = createClosingList();
  const dataFolder = resolve(options.dataFolder);
  const cacheFolder = resolve(options.cacheFolder ?? '.cache');
  try {
    return await withStopSignals(options.signal, (signal) => openStack({ ...options, dataFolder, cacheFolder, signal }, closing));
  } catch (error) {
    await closing.close().catch((failure: unknown) => options.print(`while stopping: ${messageOf(failure)}`));
    throw error;
  }
}

async function openStack(options: OpenStackOptions, closing: ClosingList): Promise<DevStack> {
  await createDataFolder(options.dataFolder);
  await verifyGiven(options);
  const opened = await openServers(options, closing);
  const model = options.withModel === true ? await openModel(options, opened, closing) : undefined;
  await opened.lock?.setReady({ ...opened.embedded, ...toLocked(model) });
  return { ...opened.servers, model, stop: closing.close };
}

/** Only an embedded model belongs to the stack; a key never comes into a file. */
function toLocked(model: ModelEndpoint | undefined): Pick<StackAddresses, 'model'> {
  if (model?.kind !== 'embedded') return {};
  const { baseURL, model: name, isSmall, note } = model;
  return { model: { baseURL, model: name, isSmall, note } };
}

async function verifyGiven({ environment, temporalConnection }: OpenStackOptions): Promise<void> {
  const { databaseUrl, temporalAddress, temporalNamespace } = environment;
  if (databaseUrl !== undefined) await verifyPostgres(databaseUrl);
  if (temporalAddress !== undefined) {
    await verifyTemporal({
      address: temporalAddress,
      namespace: temporalNamespace,
      ...(temporalConnection === undefined ? {} : { connection: temporalConnection }),
    });
  }
}
