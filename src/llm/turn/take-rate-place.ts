/** Takes a place under the model's own requests and tokens a minute; the waiting is Temporal's (design: a durable timer). */

import type { ModelSettings } from '../../agents/agent';
import { messageOf, SolidLoopError } from '../../domain/errors';
import { endpointOf } from '../families/provider-family';
import type { LlmPorts } from '../ports';

/** Marks the error: it is no failure of the provider and is not counted as one. */
export const RATE_GOVERNOR_FIELD = 'rate-governor';

const keyOf = (model: ModelSettings): string => model.rateKey ?? endpointOf(model);

const isLimited = ({ requestsPerMinute, tokensPerMinute }: ModelSettings): boolean =>
  requestsPerMinute !== undefined || tokensPerMinute !== undefined;

/** @throws ProviderRetryable, marked with `RATE_GOVERNOR_FIELD`, where the minute is used up */
export async function takeRatePlace(model: ModelSettings, { rates }: LlmPorts): Promise<void> {
  if (rates === undefined || !isLimited(model)) return;
  const { requestsPerMinute, tokensPerMinute } = model;
  const retryAfterMs = await rates.reserve(keyOf(model), {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokensPerMinute }),
  });
  if (retryAfterMs <= 0) return;
  throw new SolidLoopError('ProviderRetryable', `the agent's own rate limit of model "${model.name}" is used up for this minute`, {
    retryAfterMs,
    field: RATE_GOVERNOR_FIELD,
  });
}

/** An answer that was read is not lost for the count of its tokens. */
export async function countTokens(model: ModelSettings, tokens: number | null, { rates, logger }: LlmPorts): Promise<void> {
  if (rates === undefined || !isLimited(model) || tokens === null) return;
  await rates
    .settle(keyOf(model), tokens)
    .catch((error: unknown) =>
      logger?.warn({ model: model.name, error: messageOf(error) }, 'the tokens were not counted against the rate limit'),
    );
}
