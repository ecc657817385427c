import { ProviderError } from '../../../../src/llm/errors/provider-error';
import { findRepair } from '../../../../src/llm/request/find-repair';

const refusal = (body: unknown, status = 400): ProviderError =>
  new ProviderError('refused', { kind: 'http', url: 'http://p.test', status, body: JSON.stringify(body) });
const said = (message: string, status = 400): ProviderError => refusal({ error: { message } }, status);

const callsOnly = { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] };
const plain = { messages: [{ role: 'user', content: 'hi' }], stream_options: { include_usage: true } };

describe('what to change after a refusal', () => {
  test.each([
    ['P86', 'stream_options: Extra inputs are not permitted', plain, { streamUsage: false }],
    ['P86', 'Unrecognized request argument supplied: stream_options', plain, { streamUsage: false }],
    [
      'P46',
      'body.messages.1.assistant.reasoning_content: property not supported',
      { messages: [{ ...callsOnly, reasoning_content: 'x' }] },
      { replayReasoning: 'never' },
    ],
    [
      'P44',
      'Missing `reasoning_content` field in the assistant message at message index 1',
      { messages: [callsOnly] },
      { replayReasoning: 'with-calls' },
    ],
    [
      'P47',
      'messages.1.reasoning_details: Extra inputs are not permitted',
      { messages: [{ ...callsOnly, reasoning_details: [] }] },
      { replayExtras: false },
    ],
    [
      'P47',
      'unknown field extra_content',
      { messages: [{ ...callsOnly, tool_calls: [{ id: 'a', extra_content: {} }] }] },
      { replayExtras: false },
    ],
    ['P88', 'messages: text content blocks must be non-empty', { messages: [{ ...callsOnly, content: '' }] }, { emptyContent: 'null' }],
    ['P88', 'invalid message content type: <nil>; content must not be null', { messages: [callsOnly] }, { emptyContent: 'empty-string' }],
    [
      'P76',
      'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
      { messages: [{ ...callsOnly, content: 'x', tool_calls: [{ id: 'call_1' }] }] },
      { callIds: 'nine-alphanumeric' },
    ],
    [
      'P76',
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40",
      { messages: [{ ...callsOnly, content: 'x', tool_calls: [{ id: 'x'.repeat(50) }] }] },
      { callIds: 'nine-alphanumeric' },
    ],
    ['P79', "Unexpected role 'user' after role 'tool'", { messages: [{ role: 'tool' }, { role: 'user' }] }, { assistantAfterTool: true }],
    [
      'P89',
      'Conversation roles must alternate user/assistant',
      { messages: [{ role: 'tool' }, { role: 'user' }] },
      { assistantAfterTool: true },
    ],
    ['P89', 'System message must be at the beginning.', { messages: [{ role: 'user' }, { role: 'system' }] }, { systemFirst: true }],
    [
      'P92',
      'The toolConfig field must be defined when using toolUse',
      { messages: [{ ...callsOnly, content: 'x' }] },
      { toolsForHistory: true },
    ],
    ['P13', 'Your organization must be verified to stream this model.', { messages: [], stream: true }, { stream: false }],
    ['P13', 'Streaming is not supported for this model', { messages: [], stream: true }, { stream: false }],
    ['P47', 'Encrypted content is not supported with this model.', { input: [], include: ['x'] }, { include: false }],
    ['P86', 'response_format json_schema is not supported', { ...plain, response_format: {} }, { responseFormat: false }],
    ['P86', 'Cannot use custom grammar constraints with tools.', { ...plain, response_format: {} }, { responseFormat: false }],
  ])('%s: "%s"', (_case, message, request, facts) => {
    expect(findRepair(said(message), request)?.facts).toEqual(facts);
    expect(findRepair(said(message, 422), request)?.facts).toEqual(facts);
  });

  test.each([
    ['stream_options is not supported', { messages: [] }],
    ['reasoning_content: property not supported', { messages: [callsOnly] }],
    [
      'Tool call id must be a-z, A-Z, 0-9, with a length of 9.',
      { messages: [{ ...callsOnly, content: 'x', tool_calls: [{ id: 'abcdefgh1' }] }] },
    ],
    ['System message must be at the beginning.', { messages: [{ role: 'system' }, { role: 'user' }] }],
    ['Streaming is not supported', { messages: [], stream: false }],
    ['temperature is not supported', { ...plain, messages: [callsOnly] }],
    ['content is required', { messages: [{ role: 'user', content: 'hi' }] }],
  ])('R46: "%s" names nothing that was sent, so nothing is changed', (message, request) => {
    expect(findRepair(said(message), request)).toBeUndefined();
  });

  test('R46: other statuses and other errors are no such refusals', () => {
    expect(findRepair(said('stream_options', 401), plain)).toBeUndefined();
    expect(findRepair(said('stream_options', 500), plain)).toBeUndefined();
    expect(findRepair(new Error('stream_options'), plain)).toBeUndefined();
    expect(findRepair(said('stream_options'), undefined)).toBeUndefined();
  });

  test('P107: what could not be read is told, in part where it is long', () => {
    const error = refusal({
      error: { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: 'x'.repeat(5000) },
    });
    const repair = findRepair(error, plain);
    expect(repair?.note).toContain('x'.repeat(500));
    expect(repair?.note?.length).toBeLessThan(900);
    expect(repair?.facts).toBeUndefined();
  });

  test('P107: it is known by its code where the body was cut', () => {
    const body = JSON.stringify({ error: { message: 'm', failed_generation: 'x'.repeat(9000), code: 'tool_use_failed' } });
    const error = new ProviderError('x', { kind: 'http', url: 'http://p.test', status: 400, body, providerCode: 'tool_use_failed' });
    expect(findRepair(error, plain)?.kind).toBe('failed-generation');
  });

  test('P107: the same inside a stream', () => {
    const error = new ProviderError('x', {
      kind: 'stream',
      url: 'http://p.test',
      body: '{"error":{"code":"tool_use_failed","message":"m"}}',
    });
    expect(findRepair(error, plain)?.kind).toBe('failed-generation');
  });
});
