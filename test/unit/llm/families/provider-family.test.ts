import { endpointOf, familyOf, traitsOf } from '../../../../src/llm/families/provider-family';
import { createProviderMemory } from '../../../../src/llm/provider-memory';

const at = (baseURL: string | undefined, name: string) => ({ name, ...(baseURL === undefined ? {} : { baseURL }) });

describe('provider families', () => {
  test.each([
    [undefined, 'gpt-5', 'openai'],
    ['https://mine.openai.azure.com/openai/v1', 'gpt-5', 'openai'],
    ['https://openrouter.ai/api/v1', 'deepseek/deepseek-v3', 'openrouter'],
    ['http://127.0.0.1:8000/v1', 'deepseek-ai/DeepSeek-V3', 'deepseek'],
    ['https://api.moonshot.cn/v1', 'kimi-k2', 'moonshot'],
    ['http://gateway.test/v1', 'mistralai/Mixtral-8x7B', 'mistral'],
    ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini-3-pro', 'gemini'],
    ['http://localhost:11434/v1', 'qwen3', 'ollama'],
    ['http://localhost:8080/v1', 'qwen3', 'unknown'],
    ['not a url', 'qwen3', 'unknown'],
    ['https://evil-openai.com/v1', 'x', 'unknown'],
  ])('P46: %s with %s is of the family %s', (baseURL, name, family) => {
    expect(familyOf(at(baseURL, name)).name).toBe(family);
  });

  test('P46: the host overrules the model, the agent both, and what was learnt all', () => {
    const cerebras = at('https://api.cerebras.ai/v1', 'deepseek-r1');
    expect(traitsOf(cerebras).replayReasoning).toBe('never');
    expect(traitsOf({ ...cerebras, quirks: { replayReasoning: 'with-calls' } }).replayReasoning).toBe('with-calls');
    expect(traitsOf({ ...cerebras, quirks: { replayReasoning: 'with-calls' } }, { replayReasoning: 'never' }).replayReasoning).toBe(
      'never',
    );
  });

  test('P79: a model keeps its needs behind an unknown host', () => {
    expect(traitsOf(at('http://gateway.test/v1', 'codestral-latest'))).toMatchObject({
      callIds: 'nine-alphanumeric',
      assistantAfterTool: true,
    });
  });
});

describe('the memory of refusals', () => {
  test('P86: facts are kept by endpoint and added to', () => {
    const memory = createProviderMemory();
    const [one, other] = [endpointOf(at('http://a.test/v1', 'm')), endpointOf(at('http://a.test/v1', 'n'))];
    memory.learn(one, { streamUsage: false });
    memory.learn(one, { emptyContent: 'empty-string' });
    expect(memory.get(one)).toEqual({ streamUsage: false, emptyContent: 'empty-string' });
    expect(memory.get(other)).toEqual({});
  });

  test('P86: it stays small, and what was learnt last is kept', () => {
    const memory = createProviderMemory();
    for (let index = 0; index < 1500; index += 1) memory.learn(`endpoint ${index}`, { index });
    expect(memory.get('endpoint 0')).toEqual({});
    expect(memory.get('endpoint 1499')).toEqual({ index: 1499 });
  });
});
