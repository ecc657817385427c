import { classifyProviderError } from '../../../../src/llm/errors/classify-provider-error';
import { ProviderError, type ProviderErrorOptions } from '../../../../src/llm/errors/provider-error';

const NOW = Date.parse('2031-01-01T00:00:00Z');
const URL_TRIED = 'http://provider.test/v1/chat/completions';

const providerError = (options: Partial<ProviderErrorOptions>, message = 'refused'): ProviderError =>
  new ProviderError(message, { kind: 'http', url: URL_TRIED, ...options });

const http = (status: number, body: unknown, headers: Record<string, string> = {}): ProviderError =>
  providerError({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) });

const classify = (error: unknown) => classifyProviderError(error, { now: NOW, hintMaximumMs: 3_600_000 });

describe('the context limit', () => {
  const shapes: readonly unknown[] = [
    {
      error: {
        message: "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
    { error: { type: 'invalid_request_error', message: 'prompt is too long: 5000 tokens > 4096 maximum' } },
    {
      error: {
        code: 400,
        message: 'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5000,
        n_ctx: 4096,
      },
    },
    {
      object: 'error',
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    { error: { message: "This endpoint's maximum context length is 4096 tokens. However, you requested about 5000 tokens", code: 400 } },
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: '{"error":{"message":"prompt is too long: 5000 tokens > 4096 maximum"}}', provider_name: 'P' },
      },
    },
    { error: { code: '1261', message: 'Prompt exceeds max length' } },
    { error: { code: '400', message: 'Input exceeds the maximum allowed input length of 4096' } },
    {
      object: 'error',
      message: 'Prompt contains 5000 tokens, too large for model with 4096 maximum context length',
      type: 'invalid_request_error',
      code: '3051',
    },
    [
      {
        error: {
          code: 400,
          message: 'The input token count (5000) exceeds the maximum number of tokens allowed (4096).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
  ];

  test.each(shapes.map((shape, index) => [index + 1, shape]))('P97: shape %i is a full context, with its text', (_number, shape) => {
    expect(classify(http(400, shape))).toEqual({
      kind: 'context-limit',
      reason: 'context-limit',
      message: `HTTP 400: ${JSON.stringify(shape)}`,
    });
  });

  test.each(shapes.map((shape, index) => [index + 1, shape]))('P97: shape %i inside a stream of a 200 is the same', (_number, shape) => {
    expect(classify(providerError({ kind: 'stream', body: JSON.stringify(shape) }))?.kind).toBe('context-limit');
  });

  test.each([
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    ['Groq', 'Please reduce the length of the messages or completion.'],
    ['R41', 'please reduce the length of the input messages'],
    [
      'Anthropic with an output budget',
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length',
    ],
    ['Responses', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
    ['Moonshot', 'Invalid request: Your request exceeded model token limit: 8192'],
    ['MiniMax', 'invalid params, context window exceeds limit (2013)'],
    ['SGLang', "The input (5000 tokens) is longer than the model's context length (4096 tokens)."],
    ['Bedrock', 'Input is too long for requested model.'],
    ['Copilot', 'prompt token count of 5000 exceeds the limit of 4096'],
    ['Ollama', 'prompt too long; exceeded max context length by 12 tokens'],
  ])('P97: %s says it in its own words', (_provider, message) => {
    expect(classify(http(400, { error: { message } }))?.kind).toBe('context-limit');
  });

  test('P97: 413 and 500 count only with such a body', () => {
    expect(classify(http(413, shapes[1]))?.kind).toBe('context-limit');
    expect(classify(http(500, shapes[2]))?.kind).toBe('context-limit');
    expect(classify(http(413, ''))).toEqual({ kind: 'final', code: 'ProviderFinal', message: 'HTTP 413: (empty body)' });
  });

  test('P97: a body that was cut is still told by its sentence', () => {
    const body = `{"error":{"message":"prompt is too long: 5000 tokens > 4096 maximum","details":"${'x'.repeat(9000)}"}}`;
    expect(classify(http(400, body))?.kind).toBe('context-limit');
  });
});

describe('what only sounds like the context limit', () => {
  test.each([
    [
      400,
      {
        error: {
          message: 'max_tokens is too large: 99999. This model supports at most 4096 completion tokens',
          param: 'max_tokens',
          code: 'invalid_value',
        },
      },
      'final',
    ],
    [429, { error: { message: 'Too many tokens, please wait before trying again.' } }, 'retryable'],
    [
      413,
      {
        error: {
          message: 'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7000',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      },
      'final',
    ],
    [400, { error: { message: 'tool name exceeds the maximum length of 64' } }, 'final'],
    [400, { error: { message: 'string too long. Expected maximum length 40', param: 'messages[2].tool_calls[0].id' } }, 'final'],
  ])('P98: %i %j is %s', (status, body, kind) => {
    expect(classify(http(status, body))?.kind).toBe(kind);
  });
});

describe('when to come again', () => {
  const rateLimit = (body: unknown, headers: Record<string, string> = {}) => classify(http(429, body, headers));

  test.each([
    ['retry-after in seconds', {}, { 'retry-after': '2' }, 2000],
    ['retry-after as a date', {}, { 'retry-after': 'Wed, 01 Jan 2031 00:00:02 GMT' }, 2000],
    ['retry-after-ms', {}, { 'retry-after-ms': '1500' }, 1500],
    ['retry-after-ms before retry-after', {}, { 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    ['the text', { error: { message: 'Rate limit reached. Please try again in 1.5s.' } }, {}, 1500],
    ['the text in minutes and seconds', { error: { message: 'Please try again in 1m2.5s' } }, {}, 62_500],
    ['the text in milliseconds', { error: { message: 'Please try again in 450ms.' } }, {}, 450],
    ['the text in words', { error: { message: 'Please retry after 20 seconds.' } }, {}, 20_000],
    ['retryDelay', { error: { message: 'slow', details: [{ '@type': 'x' }, { retryDelay: '15.2s' }] } }, {}, 15_200],
    ['the headers of a gateway', { error: { message: 'm', metadata: { headers: { 'X-RateLimit-Reset': String(NOW + 7000) } } } }, {}, 7000],
    ['x-ratelimit-reset-tokens', {}, { 'x-ratelimit-reset-tokens': '1m30.5s' }, 90_500],
    [
      'of two limits, the one that is spent',
      {},
      {
        'x-ratelimit-reset-tokens': '5s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-requests': '60s',
        'x-ratelimit-remaining-requests': '9',
      },
      5000,
    ],
    ['anthropic resets as a date', {}, { 'anthropic-ratelimit-tokens-reset': '2031-01-01T00:00:30Z' }, 30_000],
  ])('P100: %s', (_title, body, headers, retryAfterMs) => {
    expect(rateLimit(body, headers as Record<string, string>)).toMatchObject({ kind: 'retryable', reason: 'rate-limit', retryAfterMs });
  });

  test.each([['-5'], ['soon'], ['0'], ['NaN'], ['Wed, 01 Jan 2020 00:00:00 GMT'], ['']])('P100: retry-after "%s" is no hint', (hint) => {
    const found = rateLimit({}, { 'retry-after': hint });
    expect(found?.kind).toBe('retryable');
    expect(found).not.toHaveProperty('retryAfterMs');
  });

  test('P100: a hint beyond the maximum is final and names the time', () => {
    const found = rateLimit({}, { 'retry-after': '7200' });
    expect(found).toMatchObject({ kind: 'final', reason: 'rate-limit' });
    expect(found?.message).toContain('2031-01-01T02:00:00.000Z');
  });

  test('P100: a hint beyond all time does not throw', () => {
    expect(rateLimit({}, { 'retry-after': '9'.repeat(40) })?.kind).toBe('final');
  });

  test('P100: resets of limits that are not spent say nothing about a server error', () => {
    expect(
      classify(http(500, 'oops', { 'x-ratelimit-reset-requests': '8.64s', 'x-ratelimit-remaining-requests': '99' })),
    ).not.toHaveProperty('retryAfterMs');
  });

  test('P100: a 503 is retried at its own time', () => {
    expect(classify(http(503, 'busy', { 'retry-after': '3' }))).toEqual({
      kind: 'retryable',
      reason: 'overloaded',
      message: 'HTTP 503: busy',
      retryAfterMs: 3000,
    });
  });
});

describe('quota and rate', () => {
  test.each([
    [
      429,
      {
        error: {
          message: 'You exceeded your current quota, please check your plan and billing details.',
          type: 'insufficient_quota',
          code: 'insufficient_quota',
        },
      },
    ],
    [402, { error: { message: 'Insufficient Balance' } }],
    [429, { error: { type: 'usage_limit_reached', resets_in_seconds: 86_400 } }],
    [400, { error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' } }],
  ])('P101: %i %j is spent and final', (status, body) => {
    expect(classify(http(status, body))).toMatchObject({ kind: 'final', reason: 'quota' });
  });

  test('P101: a short delay makes a quota a rate', () => {
    const body = {
      error: { message: 'Quota exceeded for requests per minute', status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '9s' }] },
    };
    expect(classify(http(429, body))).toMatchObject({ kind: 'retryable', reason: 'rate-limit', retryAfterMs: 9000 });
  });

  test('P101: spent credit stays final beside a hint', () => {
    expect(classify(http(429, { error: { message: 'm', code: 'insufficient_quota' } }, { 'retry-after': '2' }))).toMatchObject({
      kind: 'final',
      reason: 'quota',
    });
  });
});

describe('bodies that are no JSON', () => {
  test('P103: a page is told by its title and the status decides', () => {
    const page = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><script>var a = 1</script></body></html>';
    expect(classify(http(502, page))).toEqual({
      kind: 'retryable',
      reason: 'server-error',
      message: 'HTTP 502: 502 Bad Gateway 502 Bad Gateway',
    });
  });

  test('P103: an empty body keeps its status', () => {
    expect(classify(http(400, ''))).toEqual({ kind: 'final', code: 'ProviderFinal', message: 'HTTP 400: (empty body)' });
  });

  test('P103: a plain text is kept', () => {
    expect(classify(http(500, 'Internal Server Error'))).toEqual({
      kind: 'retryable',
      reason: 'server-error',
      message: 'HTTP 500: Internal Server Error',
    });
  });

  test('P103: a long text is kept short', () => {
    expect(classify(http(500, 'a'.repeat(5000)))?.message.length).toBeLessThan(600);
  });

  test('P103: what is no API answer is final and shows where it came from', () => {
    const page = { kind: 'protocol', status: 200, headers: { 'content-type': 'text/html' }, body: '<html>log in</html>' } as const;
    expect(classify(providerError(page, 'HTTP 200, but not an answer of the API; check the base URL: log in'))).toEqual({
      kind: 'final',
      code: 'ProviderFinal',
      message: `HTTP 200, but not an answer of the API; check the base URL: log in (${URL_TRIED})`,
    });
    expect(classify(providerError({ kind: 'protocol', status: 200, body: '{"status":"ok"}' }))?.kind).toBe('final');
  });

  test('P95: a 404 shows the URL that was tried, without its query', () => {
    const found = classify(providerError({ status: 404, body: 'Not Found', url: `${URL_TRIED}?key=secret` }));
    expect(found).toMatchObject({ kind: 'final', reason: 'not-found', code: 'ProviderFinal' });
    expect(found?.message).toContain(`HTTP 404: Not Found (POST ${URL_TRIED}; `);
    expect(found?.message).not.toContain('secret');
  });

  test('P104: of a list the first entry with an error is used', () => {
    const list = [{ note: 1 }, { error: { code: 400, message: 'Bad thing', status: 'INVALID_ARGUMENT' } }];
    expect(classify(providerError({ kind: 'stream', body: JSON.stringify(list) }, 'the stream ended with an error'))).toMatchObject({
      kind: 'final',
      message: 'HTTP 400: the stream ended with an error: Bad thing',
    });
  });

  test('R42: a final error has the whole body', () => {
    expect(classify(http(400, { error: { message: 'no' } }))?.message).toBe('HTTP 400: {"error":{"message":"no"}}');
  });
});

describe('filters and failed calls', () => {
  test('P106: a filtered prompt is final', () => {
    const body = {
      error: {
        message: 'The response was filtered due to the prompt triggering the content management policy.',
        code: 'content_filter',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    };
    expect(classify(http(400, body))).toMatchObject({ kind: 'final', reason: 'content-filter' });
  });

  test('P107: tool_use_failed is final with what was generated, never the context', () => {
    const body = {
      error: {
        message: "Failed to call a function. See 'failed_generation'.",
        type: 'invalid_request_error',
        code: 'tool_use_failed',
        failed_generation: '<function=add>{"a": 1}</function>',
      },
    };
    const found = classify(http(400, body));
    expect(found?.kind).toBe('final');
    expect(found?.message).toContain('<function=add>');
    expect(classify(providerError({ kind: 'stream', body: JSON.stringify(body) }))?.kind).toBe('final');
  });
});

describe('statuses', () => {
  test.each([
    [408, 'timeout'],
    [409, 'server-error'],
    [429, 'rate-limit'],
    [500, 'server-error'],
    [502, 'server-error'],
    [503, 'overloaded'],
    [504, 'timeout'],
    [529, 'overloaded'],
  ])('R46: %i is retryable as %s', (status, reason) => {
    expect(classify(http(status, '{}'))).toMatchObject({ kind: 'retryable', reason });
  });

  test.each([[400], [401], [403], [404], [405], [413], [422]])('R41: %i is final', (status) => {
    expect(classify(http(status, '{}'))?.kind).toBe('final');
  });
});

describe('errors inside a 200', () => {
  test.each([
    [{ error: { message: 'worker lost', code: 502 } }, 'server-error'],
    [{ error: 'worker lost' }, 'server-error'],
    [{ object: 'error', message: 'worker lost', code: 500 }, 'server-error'],
    [{ choices: [], error: { message: 'worker lost' } }, 'server-error'],
    [{ type: 'overloaded_error', message: 'worker lost' }, 'overloaded'],
    [{ error: { message: 'worker lost', code: 429 } }, 'rate-limit'],
  ])('P10, P11: %j is retryable as %s and carries its message', (body, reason) => {
    const found = classify(providerError({ kind: 'stream', body: JSON.stringify(body) }));
    expect(found).toMatchObject({ kind: 'retryable', reason });
    expect(found?.message).toContain('worker lost');
  });

  test('P11: a plain text is the message', () => {
    expect(classify(providerError({ kind: 'stream', body: 'upstream closed' }))?.message).toContain('upstream closed');
  });

  test('P10: a code of a client error is final', () => {
    expect(classify(providerError({ kind: 'stream', body: JSON.stringify({ error: { message: 'no', code: 401 } }) }))?.kind).toBe('final');
    expect(
      classify(providerError({ kind: 'stream', body: JSON.stringify({ error: { message: 'no', type: 'invalid_request_error' } }) }))?.kind,
    ).toBe('final');
  });

  test('P14: an empty answer is retryable', () => {
    expect(classify(providerError({ kind: 'empty', status: 200 }, 'the response was empty'))).toEqual({
      kind: 'retryable',
      reason: 'server-error',
      message: 'the response was empty',
    });
  });

  test('P4: data that is no JSON is retryable', () => {
    expect(classify(providerError({ kind: 'stream', body: '{"choices":[{"ind' }))?.kind).toBe('retryable');
  });
});

describe('connections', () => {
  const chainOf = ([code, ...deeper]: readonly string[]): Error | undefined =>
    code === undefined ? undefined : Object.assign(new Error(code, { cause: chainOf(deeper) }), { code });
  const withCause = (message: string, ...codes: readonly string[]): Error => new TypeError(message, { cause: chainOf(codes) });

  test.each([
    ['terminated', ['UND_ERR_SOCKET', 'ECONNRESET']],
    ['terminated', []],
    ['fetch failed', ['ECONNREFUSED']],
    ['fetch failed', ['ENOTFOUND']],
    ['anything', ['EPIPE']],
  ])('P119: "%s" caused by %j is retryable', (message, codes) => {
    expect(classify(withCause(message, ...codes))).toMatchObject({ kind: 'retryable', reason: 'server-error' });
    expect(classify(providerError({ kind: 'network', cause: withCause(message, ...codes) }, message))).toMatchObject({ kind: 'retryable' });
  });

  test('P119: a timeout of the socket is a timeout', () => {
    expect(classify(withCause('fetch failed', 'UND_ERR_CONNECT_TIMEOUT'))).toMatchObject({ kind: 'retryable', reason: 'timeout' });
    expect(classify(providerError({ kind: 'timeout' }, 'no first token within 120 s'))).toEqual({
      kind: 'retryable',
      reason: 'timeout',
      message: 'no first token within 120 s',
    });
  });

  test.each([['CERT_HAS_EXPIRED'], ['DEPTH_ZERO_SELF_SIGNED_CERT'], ['ERR_TLS_CERT_ALTNAME_INVALID'], ['ERR_INVALID_URL']])(
    'R46: %s cannot be mended by asking again',
    (code) => {
      expect(classify(withCause('fetch failed', code))?.kind).toBe('final');
    },
  );

  test('P119: a chain that bites its own tail ends', () => {
    const error = new Error('odd');
    error.cause = error;
    expect(classify(error)).toBeUndefined();
  });

  test('P119: of several addresses tried, the reason of each counts', () => {
    const aggregate = new AggregateError([Object.assign(new Error('a'), { code: 'ECONNREFUSED' })], 'all failed');
    expect(classify(new TypeError('fetch failed!', { cause: aggregate }))?.kind).toBe('retryable');
  });

  test('R24: what is no provider error is not classified', () => {
    expect(classify(new Error('a bug'))).toBeUndefined();
    expect(classify('text')).toBeUndefined();
    expect(classify(undefined)).toBeUndefined();
  });
});
