/** Which model serves, if one is there already: what the environment names, else a local Ollama, else a local llama-server. */

import type { DevEnvironment } from '../config/dev-environment';
import { DEFAULT_OPENAI_MODEL } from '../config/model';
import { DevStackError } from './dev-stack-error';
import type { ModelEndpoint } from './model-endpoint';
import { readModels } from './read-models';

const OPENAI_BASE_URL = 'https://api.openai.com/v1';
const GIVEN_TIMEOUT_MS = 15_000;
const LOCAL_TIMEOUT_MS = 1_000;

/** Servers that may run on the same machine, in the order of asking. */
export const LOCAL_SERVERS = [
  { kind: 'ollama', title: 'the local Ollama', baseURL: 'http://127.0.0.1:11434/v1' },
  { kind: 'llama-server', title: 'the local llama-server', baseURL: 'http://127.0.0.1:8080/v1' },
] as const satisfies readonly LocalServer[];

export interface LocalServer {
  readonly kind: 'ollama' | 'llama-server';
  readonly title: string;
  readonly baseURL: string;
}

export type ModelEnvironment = Pick<DevEnvironment, 'modelApiKey' | 'modelBaseUrl' | 'modelName' | 'modelIsSmall' | 'smallModelFile'>;

export interface FindModelOptions {
  readonly environment: ModelEnvironment;
  /** @default LOCAL_SERVERS */
  readonly localServers?: readonly LocalServer[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Undefined if the environment names none and no local server has one, or if a file for the embedded server is named.
 * @throws DevStackError if what the environment names does not answer, or refuses the key
 */
export async function findModel({
  environment,
  localServers = LOCAL_SERVERS,
  signal,
}: FindModelOptions): Promise<ModelEndpoint | undefined> {
  const { modelApiKey, modelBaseUrl, modelName, smallModelFile } = environment;
  if (modelApiKey !== undefined || modelBaseUrl !== undefined) return verifyGiven(environment, signal);
  if (smallModelFile !== undefined) return undefined;
  for (const server of localServers) {
    const found = await findLocal(server, modelName, signal);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function verifyGiven(environment: ModelEnvironment, signal: AbortSignal | undefined): Promise<ModelEndpoint> {
  const { modelApiKey, modelBaseUrl, modelName } = environment;
  const baseURL = modelBaseUrl ?? OPENAI_BASE_URL;
  const answer = await readModels({ baseURL, apiKey: modelApiKey, timeoutMs: GIVEN_TIMEOUT_MS, signal });
  if (answer.kind === 'refused') {
    throw new DevStackError(
      `${baseURL} refuses the key (HTTP ${answer.status}): correct OPENAI_API_KEY, or unset it and OPENAI_BASE_URL to use a local model`,
    );
  }
  if (answer.kind === 'unreachable') {
    throw new DevStackError(
      `no model answers at ${baseURL} (${answer.reason}): correct OPENAI_BASE_URL, or unset it and OPENAI_API_KEY to use a local model`,
    );
  }
  const listed = answer.kind === 'models' ? answer.names[0] : undefined;
  const model = modelName ?? (modelBaseUrl === undefined ? DEFAULT_OPENAI_MODEL : listed);
  if (model === undefined) throw new DevStackError(`${baseURL} does not say which models it has: name one with SOLIDLOOP_MODEL`);
  return {
    kind: 'environment',
    baseURL,
    model,
    isSmall: environment.modelIsSmall,
    note: `${model} at ${baseURL}`,
    ...(modelApiKey === undefined ? {} : { apiKey: modelApiKey }),
  };
}

async function findLocal(
  { kind, title, baseURL }: LocalServer,
  modelName: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ModelEndpoint | undefined> {
  const answer = await readModels({ baseURL, timeoutMs: LOCAL_TIMEOUT_MS, signal });
  const names = answer.kind === 'models' ? answer.names : [];
  const model = modelName === undefined ? names[0] : names.find((name) => name === modelName);
  return model === undefined ? undefined : { kind, baseURL, model, isSmall: false, note: `${model} of ${title}` };
}
