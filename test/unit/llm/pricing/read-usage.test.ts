import { UNKNOWN_USAGE } from '../../../../src/domain/usage';
import { readCacheWrites, readUsage } from '../../../../src/llm/pricing/read-usage';

describe('tokens as a provider reports them', () => {
  test('R35: no usage is unknown, not zero', () => {
    expect(readUsage(undefined)).toEqual(UNKNOWN_USAGE);
    expect(readUsage(null)).toEqual(UNKNOWN_USAGE);
    expect(readUsage('12')).toEqual(UNKNOWN_USAGE);
    expect(readUsage({})).toEqual(UNKNOWN_USAGE);
  });

  test('R35: counts that are not finite, negative or too large are unknown', () => {
    expect(readUsage({ prompt_tokens: Number.NaN, completion_tokens: -1, total_tokens: 1e300 })).toEqual(UNKNOWN_USAGE);
  });

  test('R35: a missing total is the sum of its parts', () => {
    expect(readUsage({ prompt_tokens: 10, completion_tokens: 3 })).toMatchObject({ prompt: 10, completion: 3, total: 13 });
    expect(readUsage({ prompt_tokens: 10 })).toMatchObject({ prompt: 10, completion: null, total: null });
  });

  test.each([
    ['no completion', { prompt_tokens: 10, total_tokens: 15 }],
    ['a prompt that cannot be', { prompt_tokens: -1, completion_tokens: 5, total_tokens: 15 }],
    ['a total of nothing', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 0 }],
    ['a total below its parts', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 12 }],
    ['texts', { prompt_tokens: '10', completion_tokens: '5', total_tokens: '15', prompt_tokens_details: null }],
  ])('R35: %s is mended from the other counts', (_title, raw) => {
    expect(readUsage(raw)).toMatchObject({ prompt: 10, completion: 5, total: 15 });
  });

  test('P113: thoughts that only the total counts were written too', () => {
    expect(readUsage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 45 })).toMatchObject({ completion: 35, reasoning: null });
  });

  test('P112: what the total has beyond its parts may be the cache', () => {
    const raw = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115, cache_read_input_tokens: 100 };
    expect(readUsage(raw)).toMatchObject({ prompt: 110, completion: 5, total: 115, promptCached: 100 });
  });

  test('P113: reasoning outside of the completion is added to it', () => {
    const usage = readUsage({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 45,
      completion_tokens_details: { reasoning_tokens: 30 },
    });
    expect(usage).toMatchObject({ completion: 35, reasoning: 30, total: 45 });
  });

  test('P113: reasoning inside of the completion is not added again', () => {
    const usage = readUsage({
      prompt_tokens: 10,
      completion_tokens: 35,
      total_tokens: 45,
      completion_tokens_details: { reasoning_tokens: 30 },
    });
    expect(usage).toMatchObject({ completion: 35, reasoning: 30, total: 45 });
  });

  test('P113: without a total the reasoning counts as inside', () => {
    expect(readUsage({ prompt_tokens: 10, completion_tokens: 35, completion_tokens_details: { reasoning_tokens: 30 } })).toMatchObject({
      completion: 35,
      total: 45,
    });
  });

  test.each([
    ['OpenAI', { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4 } }],
    ['Responses', { input_tokens: 10, output_tokens: 1, input_tokens_details: { cached_tokens: 4 } }],
    ['DeepSeek', { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 4 }],
    ['Moonshot', { prompt_tokens: 10, completion_tokens: 1, cached_tokens: 4 }],
    ['Anthropic', { input_tokens: 4, output_tokens: 1, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 }],
  ])('P112: cached tokens are read where %s puts them', (_provider, raw) => {
    expect(readUsage(raw)).toMatchObject({ prompt: 10, completion: 1, promptCached: 4 });
  });

  test('P112: tokens written to a cache are read apart', () => {
    expect(readCacheWrites({ cache_creation_input_tokens: 7 })).toBe(7);
    expect(readCacheWrites({ prompt_tokens: 7 })).toBe(0);
  });
});
