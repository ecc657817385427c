/** Serves the embedded model: small, real, on this machine, without an account. */

import { access } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DevEnvironment } from '../config/dev-environment';
import { findFreePort } from '../util/free-port';
import { type ManagedProcess, startProcess } from '../util/managed-process';
import { DevStackError } from './dev-stack-error';
import type { ModelEndpoint } from './model-endpoint';
import type { Print } from './print';
import { findPython } from './python';
import { fetchModelServer, fetchSmallModel } from './small-model-files';
import { waitForProcess } from './wait-for-process';

const SERVER_SCRIPT = join(__dirname, 'model-server.py');
const CHAT_TEMPLATE = join(__dirname, 'small-model.jinja');
const SMALL_MODEL = 'smollm2-135m';
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 10_000;
const PROBE_TIMEOUT_MS = 1_000;

const SMALL_NOTE =
  'the embedded SmolLM2-135M: a real but very small model, good for one sum or the time with a tool; name a better one with OPENAI_BASE_URL, OPENAI_API_KEY and SOLIDLOOP_MODEL';

export interface ModelServerOptions {
  readonly environment: Pick<DevEnvironment, 'searchPath' | 'smallModelFile'>;
  readonly dataFolder: string;
  readonly cacheFolder: string;
  readonly print: Print;
  readonly signal?: AbortSignal | undefined;
  /** Told of the process as soon as it runs, before it is ready. */
  readonly onProcess: (process: ManagedProcess) => Promise<void>;
}

/** What is served: the weights, and the template that makes the small ones call tools. */
interface ServedModel {
  readonly file: string;
  readonly alias: string;
  readonly template: string | undefined;
  readonly isSmall: boolean;
  readonly note: string;
}

/**
 * Fetches what is missing, starts the server, and waits until the model is loaded. The process given to `onProcess` is the caller's to stop.
 * @throws DevStackError without Python, without the parts, or with the end of the server's log
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelEndpoint> {
  const { environment, cacheFolder, dataFolder, print, signal } = options;
  const python = await findPython(environment.searchPath);
  const packages = await fetchModelServer({ python, cacheFolder, print, signal });
  const { file, alias, template, isSmall, note } = await findServedModel(options, python);
  const port = await findFreePort();
  const server = await startProcess({
    command: python,
    args: [SERVER_SCRIPT, packages, file, String(port), alias, ...(template === undefined ? [] : [template])],
    logFile: join(dataFolder, 'model-server.log'),
    // On SIGTERM it would first finish what it streams, for up to half a minute.
    stopSignal: 'SIGKILL',
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  await options.onProcess(server);
  await waitForProcess({ process: server, title: 'The model server', isReady: () => isHealthy(port), timeoutMs: START_TIMEOUT_MS, signal });
  return { kind: 'embedded', baseURL: `http://127.0.0.1:${port}/v1`, model: alias, isSmall, note };
}

async function findServedModel({ environment, cacheFolder, print, signal }: ModelServerOptions, python: string): Promise<ServedModel> {
  const file = environment.smallModelFile;
  if (file === undefined) {
    return {
      file: await fetchSmallModel({ python, cacheFolder, print, signal }),
      alias: SMALL_MODEL,
      template: CHAT_TEMPLATE,
      isSmall: true,
      note: SMALL_NOTE,
    };
  }
  try {
    await access(file);
  } catch (error) {
    throw new DevStackError(`SOLIDLOOP_SMALL_MODEL=${file} cannot be read: name a .gguf file, or unset it to use the embedded model`, {
      cause: error,
    });
  }
  const alias = basename(file, '.gguf');
  return { file, alias, template: undefined, isSmall: false, note: `${alias}, served from ${file}` };
}

/** While it loads it answers 503. */
async function isHealthy(port: number): Promise<boolean> {
  const { ok } = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  return ok;
}
