/** Finds the price of a model: the agent's own first, then the price table (R6). */

import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { Decimal } from 'decimal.js';
import { SolidLoopError } from '../../domain/errors';
import type { ModelPrice, ModelSettings } from '../../agents/agent';
import { baseUrlOf, type ModelAddress } from '../families/provider-family';
import { isObject } from '../foreign-json';

/** USD for one token. */
export interface TokenPrices {
  readonly input: Decimal;
  readonly cachedInput: Decimal;
  readonly cacheWrite: Decimal;
  readonly output: Decimal;
}

export interface PriceQuestion {
  readonly model: ModelAddress & Pick<ModelSettings, 'price'>;
  /** Some prices rise with the length of the prompt. */
  readonly promptTokens: number;
}

const TOKENS_OF_A_PRICE = 1_000_000;

/** Undefined: unknown, which is not free. @throws ConfigError where the agent's own price is no decimal */
export function priceOf(question: PriceQuestion): TokenPrices | undefined {
  const { price } = question.model;
  return price === undefined ? fromTable(question) : fromAgent(price, question.model.name);
}

/** Checked by the claim before a cost limit is trusted (R6). */
export const priceIsKnown = (model: PriceQuestion['model']): boolean => priceOf({ model, promptTokens: 0 }) !== undefined;

function fromAgent(price: ModelPrice, modelName: string): TokenPrices {
  const input = perToken(price.inputPerMillion, modelName);
  return {
    input,
    cacheWrite: input,
    cachedInput: price.cachedInputPerMillion === undefined ? input : perToken(price.cachedInputPerMillion, modelName),
    output: perToken(price.outputPerMillion, modelName),
  };
}

function perToken(perMillion: string, modelName: string): Decimal {
  if (!/^\d+(\.\d+)?$/.test(perMillion)) {
    throw new SolidLoopError(
      'ConfigError',
      `the price "${perMillion}" of model "${modelName}" is not a decimal number of USD, such as "1.25"`,
      { field: 'price' },
    );
  }
  return new Decimal(perMillion).dividedBy(TOKENS_OF_A_PRICE);
}

/** A known host has its own list; behind an unknown one (a gateway) the model's name alone is looked up. */
function fromTable({ model, promptTokens }: PriceQuestion): TokenPrices | undefined {
  const provider = findProvider({ providerApiUrl: baseUrlOf(model) });
  const found = calcPrice({ input_tokens: promptTokens, output_tokens: 0 }, model.name, provider === undefined ? {} : { provider });
  if (found === null) return undefined;
  const input = readTablePrice(found.model_price.input_mtok, promptTokens);
  const output = readTablePrice(found.model_price.output_mtok, promptTokens);
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cachedInput: readTablePrice(found.model_price.cache_read_mtok, promptTokens) ?? input,
    cacheWrite: readTablePrice(found.model_price.cache_write_mtok, promptTokens) ?? input,
  };
}

/** A tiered price is that of the highest tier whose start the prompt has passed, for all its tokens. */
function readTablePrice(value: unknown, promptTokens: number): Decimal | undefined {
  if (typeof value === 'number') return new Decimal(value).dividedBy(TOKENS_OF_A_PRICE);
  if (!isObject(value) || typeof value.base !== 'number' || !Array.isArray(value.tiers)) return undefined;
  let price = value.base;
  for (const tier of value.tiers as readonly { readonly start: number; readonly price: number }[]) {
    if (promptTokens > tier.start) price = tier.price;
  }
  return new Decimal(price).dividedBy(TOKENS_OF_A_PRICE);
}
