/** How servers that nobody listed word their errors: the same classes, in other words, places and headers. */

import { classifyProviderError } from '../../../../src/llm/errors/classify-provider-error';
import { ProviderError } from '../../../../src/llm/errors/provider-error';

const NOW = Date.parse('2031-01-01T00:00:00Z');

function classify(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const error = new ProviderError('refused', {
    kind: 'http',
    url: 'http://provider.test/v1/chat/completions',
    status,
    headers,
    body: text,
  });
  return classifyProviderError(error, { now: NOW, hintMaximumMs: 3_600_000 });
}

const refusal = (message: string, fields: object = {}) => ({ error: { message, ...fields } });

describe('a full context', () => {
  test.each([
    ['The number of tokens to keep from the initial prompt is greater than the context length'],
    ['Unable to submit request because the input token count is 2000000 but model only supports up to 1048576.'],
    ['Input validation error: `inputs` must have less than 1024 tokens. Given: 5000'],
    ['Request body too large for gpt-4o model. Max size: 8000 tokens.'],
    ['total message token length exceed model limit'],
    ['Total tokens of image and text exceed max message tokens'],
    ['The decoder prompt (length 5000) is longer than the maximum model length of 4096.'],
    ['Prompt length 5000 is greater than max_seq_len 4096'],
    ['Input context is too long'],
    ['Input tokens exceed the configured limit of 272000 tokens.'],
    ['Context window limit exceeded'],
    ['The context size has been exceeded.'],
    ['The prompt exceeds the model’s context length'],
    ['Number of tokens in prompt (5000) exceeds the model limit (4096)'],
  ])('P97: %s', (message) => {
    expect(classify(400, refusal(message))?.kind).toBe('context-limit');
  });

  const sentence = "This model's maximum context length is 4096 tokens";
  test.each([
    [{ msg: sentence, code: 400 }],
    [{ error_msg: sentence, error_code: 336103 }],
    [{ error: [sentence] }],
    [{ errors: [{ code: 1, message: sentence }] }],
    [{ Error: { Message: sentence } }],
    [{ error: { message: 'bad request', details: [{ message: sentence }] } }],
    [{ error: { message: 'Upstream error', metadata: { raw: { error: { message: sentence } } } } }],
    [{ detail: [{ loc: ['body', 'messages'], msg: sentence }] }],
    [{ title: 'Bad Request', status: 400, detail: sentence }],
    [{ fault: { faultstring: sentence } }],
  ])('P97: wherever the sentence stands: %j', (body) => {
    expect(classify(400, body)?.kind).toBe('context-limit');
  });

  test.each([
    [{ detail: [{ loc: ['body', 'messages', 0], msg: 'Field required', input: { content: sentence } }] }],
    [refusal('max_tokens exceeds the maximum of 8192')],
    [refusal('Image size exceeds the maximum allowed')],
    [refusal('Function name is too long: maximum length is 64')],
    [refusal('description is too long: maximum length 1024')],
  ])('P98: not where it is the request that is given back, or something else is too long: %j', (body) => {
    expect(classify(400, body)).toMatchObject({ kind: 'final' });
  });
});

describe('when to come again', () => {
  test.each([
    ['10s', 10_000],
    ['10 seconds', 10_000],
    ['10, 10', 10_000],
    [String(NOW / 1000 + 9), 9_000],
    ['2031-01-01T00:00:04Z', 4_000],
  ])('P100: retry-after "%s"', (hint, retryAfterMs) => {
    expect(classify(429, {}, { 'retry-after': hint })).toMatchObject({ kind: 'retryable', retryAfterMs });
  });

  test.each([
    [{ 'x-rate-limit-reset': '12' }, 12_000],
    [{ ratelimit: 'limit=10, remaining=0, reset=13' }, 13_000],
    [{ ratelimit: '"default";r=0;t=14' }, 14_000],
  ])('P100: %j', (headers, retryAfterMs) => {
    expect(classify(429, {}, headers as Readonly<Record<string, string>>)).toMatchObject({ kind: 'retryable', retryAfterMs });
  });

  test.each([
    [{ retry_after: '3' }, 3_000],
    [{ retry_after: 3.5 }, 3_500],
    [{ retry_after_ms: 1500 }, 1_500],
    [{ retry_after_seconds: 7 }, 7_000],
    [{ metadata: { retry_after_seconds: 7 } }, 7_000],
    [{ resets_at: NOW / 1000 + 5 }, 5_000],
    [{ details: [{ retryDelay: { seconds: '9', nanos: 500_000_000 } }] }, 9_500],
  ])('P100: %j in the error', (fields, retryAfterMs) => {
    expect(classify(429, refusal('slow down', fields))).toMatchObject({ kind: 'retryable', retryAfterMs });
  });

  test('P100: the text says when the limit resets', () => {
    expect(classify(429, refusal('Limit reached. Resets in 30 seconds.'))).toMatchObject({ retryAfterMs: 30_000 });
  });

  test('P100: a model that is loading says how long', () => {
    expect(classify(503, { error: 'Model x is currently loading', estimated_time: 20.5 })).toMatchObject({
      reason: 'overloaded',
      retryAfterMs: 20_500,
    });
  });
});

describe('quota and rate', () => {
  test.each([
    [429, refusal('余额不足或无可用资源包,请充值。', { code: '1113' })],
    [429, refusal('Budget has been exceeded! Current cost: 10, Max budget: 5', { type: 'budget_exceeded' })],
    [400, refusal('ExceededBudget', { type: 'budget_exceeded' })],
    [429, refusal('All credits exhausted')],
    [403, refusal('suspended', { type: 'exceeded_current_quota_error' })],
    [403, refusal('no', { code: 'insufficient_user_quota' })],
  ])('P101: %i %j is spent', (status, body) => {
    expect(classify(status, body)).toMatchObject({ kind: 'final', reason: 'quota' });
  });

  test('P98: a request that alone is over the rate is final, whatever the status', () => {
    const message = 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.';
    expect(classify(429, refusal(message, { code: 'rate_limit_exceeded' }))).toMatchObject({ kind: 'final', reason: 'rate-limit' });
  });

  test.each([[400], [403]])('R46: a rate under status %i is a rate', (status) => {
    expect(classify(status, refusal('slow down', { code: 'rate_limit_exceeded' }))).toMatchObject({
      kind: 'retryable',
      reason: 'rate-limit',
    });
  });
});

test.each([
  [403, refusal('Input was flagged', { metadata: { reasons: ['violence'] } })],
  [400, refusal('Invalid prompt: your prompt was flagged as potentially violating our usage policy.', { code: 'invalid_prompt' })],
  [400, refusal('系统检测到输入或生成内容可能包含不安全或敏感内容', { code: '1301' })],
])('P106: %i %j is a filter', (status, body) => {
  expect(classify(status, body)).toMatchObject({ kind: 'final', reason: 'content-filter' });
});

test('R46: a gateway whose upstream went away (499) is asked again', () => {
  expect(classify(499, refusal('client closed request'))).toMatchObject({ kind: 'retryable', reason: 'server-error' });
});

test('R46: a model that is gone (410) lets a fallback take over', () => {
  expect(classify(410, refusal('The model has been retired'))).toMatchObject({ kind: 'final', reason: 'not-found' });
});

describe('advice', () => {
  test.each([
    [404, { detail: 'Not Found' }, /POST http:\/\/provider\.test\/v1\/chat\/completions.*baseURL/],
    [404, '', /baseURL/],
    [405, { detail: 'Method Not Allowed' }, /POST http:\/\/provider\.test\/v1\/chat\/completions.*baseURL/],
    [404, refusal('The model `x` does not exist', { code: 'model_not_found' }), /model\.name/],
    [404, refusal('model "x" not found, try pulling it first'), /model\.name/],
  ])('P95: %i %j says what to look at', (status, body, advice) => {
    expect(classify(status, body)?.message).toMatch(advice);
  });
});

test('P10: an error of a list of vendors’ own fields inside a 200 is told by its words', () => {
  const body = JSON.stringify({ choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } });
  const error = new ProviderError('the provider sent an error in its answer: insufficient balance', {
    kind: 'stream',
    url: 'http://x.test',
    body,
  });
  expect(classifyProviderError(error, { now: NOW })).toMatchObject({ kind: 'final', reason: 'quota' });
});
