import { UNKNOWN_USAGE, type TokenUsage } from '../../../../src/domain/usage';
import { addCosts, costOfUsage } from '../../../../src/llm/pricing/cost-of-usage';
import { priceIsKnown } from '../../../../src/llm/pricing/price-of';

const usage = (counts: Partial<TokenUsage>): TokenUsage => ({ ...UNKNOWN_USAGE, ...counts });
const priced = { name: 'mine', price: { inputPerMillion: '1.25', outputPerMillion: '10', cachedInputPerMillion: '0.125' } };
const unpriced = { name: 'nobody-knows-this-model', baseURL: 'http://127.0.0.1:1/v1' };

describe('cost of a turn', () => {
  test('R6: an unknown price is zero and marked unknown', () => {
    expect(costOfUsage({ model: unpriced, usage: usage({ prompt: 10, completion: 5 }) })).toEqual({ amountUsd: '0', isKnown: false });
    expect(priceIsKnown(unpriced)).toBe(false);
  });

  test('R6: unknown tokens of a known price are an unknown cost', () => {
    expect(costOfUsage({ model: priced, usage: UNKNOWN_USAGE })).toEqual({ amountUsd: '0', isKnown: false });
  });

  test('R6: the agent gives a price and cached tokens cost theirs, exactly', () => {
    expect(costOfUsage({ model: priced, usage: usage({ prompt: 1000, promptCached: 10, completion: 100 }) })).toEqual({
      amountUsd: '0.00223875',
      isKnown: true,
    });
    expect(priceIsKnown(priced)).toBe(true);
  });

  test('R6: without a cached price cached tokens cost as the others', () => {
    const model = { name: 'm', price: { inputPerMillion: '3', outputPerMillion: '0' } };
    expect(costOfUsage({ model, usage: usage({ prompt: 1_000_000, promptCached: 500_000, completion: 0 }) }).amountUsd).toBe('3');
  });

  test('R6: the price table knows a model at its own host, to the last place', () => {
    expect(costOfUsage({ model: { name: 'gpt-5' }, usage: usage({ prompt: 1000, promptCached: 10, completion: 100 }) })).toEqual({
      amountUsd: '0.00223875',
      isKnown: true,
    });
  });

  test('R6: a price that rises with the prompt rises', () => {
    const model = { name: 'gemini-2.5-pro', baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai' };
    expect(costOfUsage({ model, usage: usage({ prompt: 100_000, completion: 0 }) }).amountUsd).toBe('0.125');
    expect(costOfUsage({ model, usage: usage({ prompt: 300_000, completion: 0 }) }).amountUsd).toBe('0.75');
  });

  test('R6: tokens that are written to a cache cost what the table says', () => {
    const model = { name: 'claude-opus-4-5', baseURL: 'https://api.anthropic.com/v1' };
    const rawUsage = { cache_creation_input_tokens: 1000 };
    expect(costOfUsage({ model, usage: usage({ prompt: 1000, completion: 0 }), rawUsage }).amountUsd).toBe('0.00625');
  });

  test('R6: a price that is no decimal is refused with the model and the field', () => {
    const model = { name: 'm', price: { inputPerMillion: 'cheap', outputPerMillion: '1' } };
    expect(() => priceIsKnown(model)).toThrow(/price "cheap" of model "m"/);
  });

  test.each([
    ['the cost alone', { cost: 0.0123 }, '0.0123'],
    ['own key: fee and upstream', { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 0.0456 } }, '0.0456'],
    ['own key with a fee: both', { cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.0456 } }, '0.0466'],
    [
      'not an own key: the one contains the other',
      { cost: 0.0123, is_byok: false, cost_details: { upstream_inference_cost: 0.0123 } },
      '0.0123',
    ],
    ['a very small one', { cost: 1.2e-7 }, '0.00000012'],
    ['a text', { cost: '0.5' }, '0.5'],
    ['an object', { cost: { total_cost: 0.25 } }, '0.25'],
    ['an estimate', { estimated_cost: 0.25 }, '0.25'],
    [
      'own key: the halves of the upstream',
      { cost: 0, is_byok: true, cost_details: { upstream_inference_prompt_cost: 0.01, upstream_inference_completions_cost: 0.02 } },
      '0.03',
    ],
  ])('P115: reported cost, %s', (_title, rawUsage, amountUsd) => {
    expect(costOfUsage({ model: priced, usage: usage({ prompt: 1, completion: 1 }), rawUsage })).toEqual({ amountUsd, isKnown: true });
  });

  test('P115: own key, a fee of nothing and no upstream price: by the price, which is known', () => {
    const rawUsage = { cost: 0, is_byok: true };
    expect(costOfUsage({ model: priced, usage: usage({ prompt: 100, completion: 0 }), rawUsage }).amountUsd).toBe('0.000125');
    expect(costOfUsage({ model: unpriced, usage: usage({ prompt: 100, completion: 0 }), rawUsage }).isKnown).toBe(false);
  });

  test.each([[-1], [Number.NaN], [Number.POSITIVE_INFINITY], ['free'], [1e12], [null]])('P115: a reported cost of %p is none', (cost) => {
    expect(costOfUsage({ model: unpriced, usage: usage({ prompt: 1, completion: 1 }), rawUsage: { cost } })).toEqual({
      amountUsd: '0',
      isKnown: false,
    });
  });

  test('R6: sums are exact, and known only if all parts are', () => {
    expect(addCosts({ amountUsd: '0.1', isKnown: true }, { amountUsd: '0.2', isKnown: true })).toEqual({ amountUsd: '0.3', isKnown: true });
    expect(addCosts({ amountUsd: '0.1', isKnown: true }, { amountUsd: '0', isKnown: false })).toEqual({ amountUsd: '0.1', isKnown: false });
  });
});
