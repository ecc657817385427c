import { readModelFromEnvironment } from '../../../src/config/model';

describe('readModelFromEnvironment', () => {
  it.each([
    ['nothing', {}, undefined],
    ['empty values', { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' }, undefined],
    ['a key alone', { OPENAI_API_KEY: 'k' }, { settings: { name: 'gpt-5-mini', apiKey: 'k' }, isSmall: false }],
    [
      'a local server',
      { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', SOLIDLOOP_MODEL: 'm', SOLIDLOOP_MODEL_IS_SMALL: '1' },
      { settings: { name: 'm', baseURL: 'http://127.0.0.1:1/v1' }, isSmall: true },
    ],
  ])('reads %s', (_what, environment, model) => {
    expect(readModelFromEnvironment(environment)).toEqual(model);
  });

  it('says what is missing beside an address', () => {
    expect(() => readModelFromEnvironment({ OPENAI_BASE_URL: 'http://a.example/v1' })).toThrow(
      'OPENAI_BASE_URL is http://a.example/v1, but no model is named: set SOLIDLOOP_MODEL',
    );
  });
});
