/** What the environment says of the model: any OpenAI-compatible endpoint. */

import type { ModelSettings } from '../agents/agent';
import { SolidLoopError } from '../domain/errors';

/** Used with OpenAI's own endpoint where no model is named. */
export const DEFAULT_OPENAI_MODEL = 'gpt-5-mini';

export interface EnvironmentModel {
  readonly settings: ModelSettings;
  /** True for a model that can use few tools at a time. */
  readonly isSmall: boolean;
}

/**
 * OPENAI_API_KEY, OPENAI_BASE_URL, SOLIDLOOP_MODEL, SOLIDLOOP_MODEL_IS_SMALL (1 for true). Undefined where neither a key nor an address is given.
 * @throws ConfigError where an address has no model beside it
 */
export function readModelFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): EnvironmentModel | undefined {
  const apiKey = environment.OPENAI_API_KEY || undefined;
  const baseURL = environment.OPENAI_BASE_URL || undefined;
  if (apiKey === undefined && baseURL === undefined) return undefined;
  const name = environment.SOLIDLOOP_MODEL || (baseURL === undefined ? DEFAULT_OPENAI_MODEL : undefined);
  if (name === undefined) {
    throw new SolidLoopError('ConfigError', `OPENAI_BASE_URL is ${baseURL}, but no model is named: set SOLIDLOOP_MODEL`, {
      field: 'SOLIDLOOP_MODEL',
    });
  }
  return {
    settings: { name, ...(apiKey === undefined ? {} : { apiKey }), ...(baseURL === undefined ? {} : { baseURL }) },
    isSmall: environment.SOLIDLOOP_MODEL_IS_SMALL === '1',
  };
}
