/** A language model of a Vercel AI SDK provider (specification v2 or newer), as much of it as is used here. Nothing is imported from that package. */

import type { ModelSettings } from '../../../agents/agent';
import { SolidLoopError } from '../../../domain/errors';

export interface LanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly doStream: (options: Readonly<Record<string, unknown>>) => PromiseLike<{
    readonly stream: ReadableStream<unknown>;
    readonly response?: { readonly headers?: Readonly<Record<string, string>> };
  }>;
  readonly doGenerate: (options: Readonly<Record<string, unknown>>) => PromiseLike<Readonly<Record<string, unknown>>>;
}

/** @throws ConfigError where the settings hold no such model */
export function languageModelOf({ name, languageModel }: ModelSettings): LanguageModel {
  if (isLanguageModel(languageModel)) return languageModel;
  throw new SolidLoopError(
    'ConfigError',
    `model "${name}" has api "ai-sdk", so its languageModel must be one of an AI SDK provider (specification v2 or newer)`,
    {
      field: 'languageModel',
    },
  );
}

function isLanguageModel(value: unknown): value is LanguageModel {
  if (typeof value !== 'object' || value === null) return false;
  const { doStream, doGenerate } = value as Partial<Record<string, unknown>>;
  return typeof doStream === 'function' && typeof doGenerate === 'function';
}
