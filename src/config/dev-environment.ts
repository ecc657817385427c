/** What the environment says of the development stack: servers that are given, programs, the model. */

import { delimiter } from 'node:path';

export interface DevEnvironment {
  /** A Postgres that is there already; absent means the embedded one. */
  readonly databaseUrl: string | undefined;
  /** A Temporal server that is there already; absent means the development server. */
  readonly temporalAddress: string | undefined;
  /** @default 'default' */
  readonly temporalNamespace: string;
  /** Path of the Temporal CLI (TEMPORAL_CLI). */
  readonly temporalCli: string | undefined;
  /** The folders in which programs are looked for (PATH). */
  readonly searchPath: readonly string[];
  readonly modelApiKey: string | undefined;
  readonly modelBaseUrl: string | undefined;
  readonly modelName: string | undefined;
  /** The named model can use few tools at a time (SOLIDLOOP_MODEL_IS_SMALL=1). */
  readonly modelIsSmall: boolean;
  /** A .gguf file to serve instead of the embedded model (SOLIDLOOP_SMALL_MODEL). */
  readonly smallModelFile: string | undefined;
}

export function readDevEnvironment(environment: Readonly<Record<string, string | undefined>> = process.env): DevEnvironment {
  const find = (name: string): string | undefined => environment[name] || undefined;
  return {
    databaseUrl: find('DATABASE_URL'),
    temporalAddress: find('TEMPORAL_ADDRESS'),
    temporalNamespace: find('TEMPORAL_NAMESPACE') ?? 'default',
    temporalCli: find('TEMPORAL_CLI'),
    searchPath: (find('PATH') ?? '').split(delimiter).filter((folder) => folder !== ''),
    modelApiKey: find('OPENAI_API_KEY'),
    modelBaseUrl: find('OPENAI_BASE_URL'),
    modelName: find('SOLIDLOOP_MODEL'),
    modelIsSmall: find('SOLIDLOOP_MODEL_IS_SMALL') === '1',
    smallModelFile: find('SOLIDLOOP_SMALL_MODEL'),
  };
}
