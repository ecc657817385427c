/** The strict check of one model's settings, at definition and, where a function chose the model, at each turn. */

import { z } from 'zod';
import { assertFits } from './assert-fits';
import { decimalText, httpHeaders, httpUrl, nonEmptyText, positiveInteger, positiveSeconds } from './field-schemas';
import type { ModelSettings } from './agent';

/** Fields of the request that the engine fills. */
const OWN_REQUEST_FIELDS = ['model', 'messages', 'tools', 'stream'];

const price = z.strictObject({
  inputPerMillion: decimalText,
  outputPerMillion: decimalText,
  cachedInputPerMillion: decimalText.optional(),
});

const quirks = z.strictObject({
  streamUsage: z.boolean().optional(),
  emptyContent: z.enum(['null', 'empty-string']).optional(),
  replayReasoning: z.enum(['never', 'with-calls']).optional(),
  replayExtras: z.boolean().optional(),
  assistantAfterTool: z.boolean().optional(),
  toolsForHistory: z.boolean().optional(),
  callIds: z.enum(['any', 'nine-alphanumeric']).optional(),
});

export const modelSchema = z
  .strictObject({
    name: nonEmptyText,
    baseURL: httpUrl.optional(),
    apiKey: z.string().optional(),
    headers: httpHeaders.optional(),
    api: z.enum(['chat', 'responses', 'ai-sdk']).optional(),
    languageModel: z.unknown().optional(),
    readTimeoutSeconds: positiveSeconds.optional(),
    firstTokenTimeoutSeconds: positiveSeconds.optional(),
    progressTimeoutSeconds: positiveSeconds.optional(),
    stream: z.boolean().optional(),
    parameters: z
      .custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object')
      .refine(
        (value) => !OWN_REQUEST_FIELDS.some((field) => field in value),
        `may not hold ${OWN_REQUEST_FIELDS.join(', ')}: the engine fills these; use the model's own fields`,
      )
      .optional(),
    price: price.optional(),
    contextWindow: positiveInteger.optional(),
    vision: z.boolean().optional(),
    quirks: quirks.optional(),
    requestsPerMinute: positiveInteger.optional(),
    tokensPerMinute: positiveInteger.optional(),
    rateKey: nonEmptyText.optional(),
  })
  .refine(
    (model) => (model.api === 'ai-sdk') === (model.languageModel !== undefined),
    'must have languageModel where api is "ai-sdk", and only there',
  );

/**
 * `where` names its place: `agent "librarian": the model that its function chose`.
 * @throws ConfigError
 */
export function assertModelSettings(where: string, model: unknown): asserts model is ModelSettings {
  assertFits(where, modelSchema, model);
}
