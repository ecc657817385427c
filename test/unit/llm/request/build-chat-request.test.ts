import type { ModelSettings } from '../../../../src/agents/agent';
import { buildChatRequest, type RequestSource } from '../../../../src/llm/request/build-chat-request';
import { faultsOf } from '../support/check-request';
import { answer, call, calls, offered, result, row, system, tool, user } from '../support/transcript';
import { exposeTools } from '../../../../src/llm/request/expose-tools';
import type { TranscriptMessage } from '../../../../src/domain/message';

type Message = Record<string, unknown> & { readonly tool_calls?: readonly Record<string, unknown>[] };

const model: ModelSettings = { name: 'm', baseURL: 'http://provider.test/v1' };
const at = (baseURL: string, name = 'm'): ModelSettings => ({ name, baseURL });

function bodyOf(
  transcript: readonly TranscriptMessage[],
  source: Partial<RequestSource> = {},
): Record<string, unknown> & { readonly messages: readonly Message[] } {
  const body = buildChatRequest({ model, instructions: 'Be brief.', transcript, tools: offered('f'), ...source });
  return body as Record<string, unknown> & { readonly messages: readonly Message[] };
}

const messagesOf = (transcript: readonly TranscriptMessage[], source: Partial<RequestSource> = {}): readonly Message[] =>
  bodyOf(transcript, source).messages;
const rolesOf = (messages: readonly Message[]): readonly unknown[] => messages.map((message) => message.role);

describe('the transcript as messages', () => {
  test('R32: system prompt, then the visible transcript in order, each call with its result', () => {
    const [a, b] = [call('a', 'f', '{"n":1}'), call('b', 'f', '{"n":2}')];
    expect(
      messagesOf([
        user('hi'),
        calls([a, b], { content: 'I look.' }),
        result(a, 'one'),
        result(b, 'two'),
        answer('Done.'),
        user('and now?'),
      ]),
    ).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"n":1}' } },
          { id: 'b', type: 'function', function: { name: 'f', arguments: '{"n":2}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'and now?' },
    ]);
  });

  test('R32: results that were written out of order stand in the order of the calls', () => {
    const [a, b] = [call('a'), call('b')];
    expect(messagesOf([user('hi'), calls([a, b]), result(b, 'two'), result(a, 'one')]).slice(3)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
    ]);
  });

  test('R32: hidden messages, shells and waiting ones are left out', () => {
    const transcript = [
      user('hi'),
      user('secret', { isHidden: true }),
      answer('half', { status: 'processing' }),
      user('later', { status: 'pending' }),
    ];
    expect(messagesOf(transcript)).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ]);
  });

  test('R7: a failed user message stays in the transcript', () => {
    expect(messagesOf([user('hi', { status: 'failed' })])).toContainEqual({ role: 'user', content: 'hi' });
  });

  test('R32: without instructions there is no system message', () => {
    expect(rolesOf(messagesOf([user('hi')], { instructions: '' }))).toEqual(['user']);
  });

  test('R32: system rows of the host at the beginning are one with the prompt', () => {
    expect(messagesOf([system('It is Monday.'), user('hi')])[0]).toEqual({ role: 'system', content: 'Be brief.\n\nIt is Monday.' });
  });

  test('R32: a call without a result gets one that says so', () => {
    const messages = messagesOf([user('hi'), calls([call('a')]), user('well?')]);
    expect(rolesOf(messages)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(messages[3]?.content).toMatch(/No result of this call/);
  });

  test.each([[''], ['  \n'], [null]])('R32: an empty result (%j) is told as such', (content) => {
    const a = call('a');
    expect(messagesOf([user('hi'), calls([a]), result(a, content)]).at(-1)?.content).toBe('(The tool returned nothing.)');
  });

  test('P73: a result without its call is left out', () => {
    expect(rolesOf(messagesOf([result(call('p'), 'lost'), answer('ok'), user('next')]))).toEqual(['system', 'user', 'assistant', 'user']);
  });

  test('P74: ids that come again in later turns keep their own results', () => {
    const [first, second] = [call('call_0'), call('call_0')];
    const messages = messagesOf([user('hi'), calls([first]), result(first, 'one'), calls([second]), result(second, 'two')]);
    const pairs = messages.flatMap((message, index) =>
      message.role === 'tool' ? [[messages[index - 1]?.tool_calls?.[0]?.id === message.tool_call_id, message.content]] : [],
    );
    expect(pairs).toEqual([
      [true, 'one'],
      [true, 'two'],
    ]);
    expect(new Set(messages.filter((message) => message.role === 'tool').map((message) => message.tool_call_id)).size).toBe(2);
  });

  test('P74: one id twice in one message is told apart', () => {
    const [first, second] = [call('x'), call('x')];
    const body = bodyOf([user('hi'), calls([first, second]), result(second, 'two'), result(first, 'one')]);
    expect(faultsOf(body)).toEqual([]);
    expect(body.messages.slice(3).map((message) => message.content)).toEqual(['one', 'two']);
  });

  test('P74: results without a reference are paired within their own message', () => {
    const loose = (content: string) => row({ role: 'tool', content, toolCallProviderId: 'call_0' });
    const messages = messagesOf([user('hi'), calls([call('call_0')]), loose('one'), calls([call('call_0')]), loose('two')]);
    expect(messages.filter((message) => message.role === 'tool').map((message) => message.content)).toEqual(['one', 'two']);
  });

  test('P23: a call without an id gets the same one in each request', () => {
    const transcript = [user('hi'), calls([call('')]), user('x')];
    const ids = [0, 1].map(() => messagesOf(transcript)[2]?.tool_calls?.[0]?.id);
    expect(ids[0]).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(ids[0]).toBe(ids[1]);
  });

  test('P76: for Mistral foreign ids become nine letters or digits, own ones stay', () => {
    const [foreign, own] = [call('call_ab12cd34ef'), call('Abc123xyZ')];
    const body = bodyOf([user('hi'), calls([foreign, own]), result(foreign, 'one'), result(own, 'two')], {
      model: at('https://api.mistral.ai/v1'),
    });
    expect(faultsOf(body, /^[a-zA-Z0-9]{9}$/)).toEqual([]);
    expect(body.messages[2]?.tool_calls?.[1]?.id).toBe('Abc123xyZ');
  });

  test('P98: an id longer than OpenAI takes is made anew', () => {
    const long = call('x'.repeat(41));
    expect(faultsOf(bodyOf([user('hi'), calls([long]), result(long, 'r')], { model: { name: 'gpt-5' } }), /^.{1,40}$/)).toEqual([]);
  });

  test.each([['{"a": oops'], [''], ['null'], ['[]'], ['3'], ['"{}"']])('P77: arguments %j are replayed as an empty object', (args) => {
    expect(messagesOf([user('hi'), calls([call('a', 'f', args)])])[2]?.tool_calls?.[0]).toMatchObject({ function: { arguments: '{}' } });
  });

  test('P79: for Mistral an assistant stands between a tool and a user', () => {
    const a = call('Abc123xyZ');
    const transcript = [user('hi'), calls([a]), result(a, 'r'), user('stop that')];
    expect(rolesOf(messagesOf(transcript, { model: at('http://provider.test/v1', 'mistral-large-latest') }))).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(rolesOf(messagesOf(transcript))).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
  });

  test('P82: NUL and halves of characters are replaced, everywhere', () => {
    const a = call('a', 'f', '{"t":"x\\u0000y\\ud83d"}');
    const body = bodyOf([user('a\0b'), calls([a], { content: 'c\uD83D' }), result(a, 'd\0\uDE42')], { instructions: 'i\0' });
    expect(faultsOf(body)).toEqual([]);
    expect(body.messages[1]?.content).toBe('a\uFFFDb');
    expect(body.messages[2]?.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"t":"x\uFFFDy\uFFFD"}' } });
  });

  test('P83: fields of the stored message do not go back', () => {
    const a = call('a');
    const message = calls([a], {
      providerExtras: { refusal: null, annotations: [], audio: null, tool_calls: [{ index: 0 }] },
      metadata: { finish_reason: 'tool_calls' },
    });
    expect(faultsOf(bodyOf([user('hi'), message, result(a, 'r')], { model: { ...model, quirks: { replayExtras: true } } }))).toEqual([]);
  });

  test('P53: an assistant message without text and calls is never sent', () => {
    expect(rolesOf(messagesOf([user('hi'), answer(null, { reasoningContent: 'Hm' }), answer(''), user('again')]))).toEqual([
      'system',
      'user',
    ]);
  });

  test('P88: content beside calls is null, or the empty string where the family wants it', () => {
    const transcript = [user('hi'), calls([call('a')])];
    expect(messagesOf(transcript)[2]?.content).toBeNull();
    expect(messagesOf(transcript, { model: { ...model, quirks: { emptyContent: 'empty-string' } } })[2]?.content).toBe('');
    expect(messagesOf(transcript, { learnt: { emptyContent: 'empty-string' } })[2]?.content).toBe('');
    expect(messagesOf(transcript, { model: at('http://127.0.0.1:11434/v1') })[2]?.content).toBe('');
  });

  test('P89: where only one system message may open, a later one is told by the user', () => {
    const transcript = [user('a'), answer('b'), system('In French now.'), user('c')];
    expect(rolesOf(messagesOf(transcript))).toEqual(['system', 'user', 'assistant', 'system', 'user']);
    const messages = messagesOf(transcript, { learnt: { systemFirst: true } });
    expect(rolesOf(messages)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages.at(-1)?.content).toBe('In French now.\n\nc');
  });

  test('P88: white space alone is no text, beside an image too', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } } as const;
    expect(messagesOf([user(' \n')]).at(-1)).toEqual({ role: 'user', content: 'Continue.' });
    const parts = row({ role: 'user', contentParts: [{ type: 'text', text: ' ' }, image] });
    expect(messagesOf([parts], { model: { ...model, vision: true } }).at(-1)?.content).toEqual([image]);
  });

  test('P89: neighbours of one role are joined', () => {
    expect(messagesOf([user('a'), user('b'), answer('c'), answer('d'), user('e')]).slice(1)).toEqual([
      { role: 'user', content: 'a\n\nb' },
      { role: 'assistant', content: 'c\n\nd' },
      { role: 'user', content: 'e' },
    ]);
  });

  test('R32: a transcript that ends with the assistant ends with a user all the same', () => {
    expect(messagesOf([user('a'), answer('b')]).at(-1)).toEqual({ role: 'user', content: 'Continue.' });
    expect(rolesOf(messagesOf([]))).toEqual(['system', 'user']);
  });
});

describe('reasoning', () => {
  const thought = (fields: Partial<TranscriptMessage> = {}): readonly TranscriptMessage[] => {
    const p = call('p', 'now');
    return [
      user('hi'),
      calls([p], { reasoningContent: 'Need date.', ...fields }),
      result(p, 'Monday'),
      answer('Monday.', { reasoningContent: 'Easy.' }),
      user('thanks'),
    ];
  };

  test.each([
    ['DeepSeek by host', at('https://api.deepseek.com/v1')],
    ['DeepSeek by name', at('http://provider.test/v1', 'deepseek-ai/DeepSeek-V3.2')],
    ['Moonshot', at('https://api.moonshot.ai/v1', 'kimi-k2-thinking')],
    ['an agent that says so', { ...model, quirks: { replayReasoning: 'with-calls' as const } }],
  ])('P44: %s gets the reasoning of messages with calls back, unchanged', (_title, deepseek) => {
    const messages = messagesOf(thought(), { model: deepseek });
    expect(messages[2]).toMatchObject({ reasoning_content: 'Need date.' });
    expect(messages[4]).not.toHaveProperty('reasoning_content');
  });

  test.each([
    ['an unknown host', model],
    ['Cerebras', at('https://api.cerebras.ai/v1', 'deepseek-r1')],
    ['Groq', at('https://api.groq.com/openai/v1', 'deepseek-r1-distill')],
  ])('P46: %s gets no reasoning', (_title, strict) => {
    expect(JSON.stringify(bodyOf(thought(), { model: strict }))).not.toContain('reasoning');
  });

  test('P46: a refusal that was learnt wins over the family', () => {
    expect(
      JSON.stringify(bodyOf(thought(), { model: at('https://api.deepseek.com/v1'), learnt: { replayReasoning: 'never' } })),
    ).not.toContain('reasoning');
  });

  const details = [
    { type: 'reasoning.text', index: 0, text: 'AB', signature: 'c2ln' },
    { type: 'reasoning.encrypted', index: 1, data: 'ZW5j', id: 'r1' },
  ];

  test('P47: reasoning_details go back to OpenRouter as they were, and to nobody else', () => {
    const transcript = thought({ providerExtras: { reasoning_details: details } });
    expect(messagesOf(transcript, { model: at('https://openrouter.ai/api/v1', 'x/y') })[2]).toMatchObject({ reasoning_details: details });
    expect(messagesOf(transcript)[2]).not.toHaveProperty('reasoning_details');
  });

  test('P47: what another model made is not sent', () => {
    const transcript = (made_by: string) => thought({ providerExtras: { reasoning_details: details }, metadata: { made_by } });
    const openrouter = at('https://openrouter.ai/api/v1', 'x/y');
    expect(messagesOf(transcript('openrouter/x/y'), { model: openrouter })[2]).toHaveProperty('reasoning_details');
    expect(messagesOf(transcript('openrouter/other'), { model: openrouter })[2]).not.toHaveProperty('reasoning_details');
    expect(messagesOf(transcript('gemini/x/y'), { model: openrouter })[2]).not.toHaveProperty('reasoning_details');
  });

  test('P49: thinking blocks go back byte for byte, unsigned ones not at all', () => {
    const signed = { type: 'thinking', thinking: '  Plan.\n', signature: 'Rk9P' };
    const transcript = thought({
      providerExtras: {
        thinking_blocks: [signed, { type: 'thinking', thinking: 'x', signature: '' }, { type: 'thinking', thinking: 'y' }],
      },
    });
    expect(messagesOf(transcript, { model: at('http://gateway.test/v1', 'claude-opus-4-5') })[2]).toMatchObject({
      thinking_blocks: [signed],
    });
    const unsigned = thought({ providerExtras: { thinking_blocks: [{ type: 'thinking', thinking: 'x', signature: ' ' }] } });
    expect(messagesOf(unsigned, { model: at('http://gateway.test/v1', 'claude-opus-4-5') })[2]).not.toHaveProperty('thinking_blocks');
  });

  test('P47: signatures of single calls go back with their calls', () => {
    const [p, q] = [call('p'), call('q')];
    const extra = { google: { thought_signature: 'c2ln' } };
    const transcript = [
      user('hi'),
      calls([p, q], { providerExtras: { tool_calls: [{ extra_content: extra }, null] } }),
      result(p, '1'),
      result(q, '2'),
    ];
    const replayed = messagesOf(transcript, { model: at('https://generativelanguage.googleapis.com/v1beta/openai', 'gemini-3-pro') })[2]
      ?.tool_calls;
    expect(replayed?.[0]).toMatchObject({ extra_content: extra });
    expect(replayed?.[1]).not.toHaveProperty('extra_content');
  });

  test.each([
    ['<think>a</think>One<think>b</think> two', 'One two'],
    ['<think>\nlong\n</think>\n\nIt is 4.', 'It is 4.'],
    ['use the <think> tag', 'use the <think> tag'],
    ['write `<think>x</think>` here', 'write `<think>x</think>` here'],
  ])('P52: %j is replayed as %j', (content, replayed) => {
    expect(messagesOf([user('hi'), answer(content), user('next')])[2]?.content).toBe(replayed);
  });
});

describe('images', () => {
  const shot = call('a');
  const other = call('b');
  const metadata = { images: [{ mimeType: 'image/png', data: 'iVBORw0=' }] };
  const transcript = [user('look'), calls([shot, other]), result(shot, 'shot', { metadata }), result(other, 'text')];

  test('P80: an image in a result becomes a user message after all results', () => {
    const messages = messagesOf(transcript, { model: { ...model, vision: true } });
    expect(messages.slice(3)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'shot\n[image: image/png, 5 bytes; shown below]' },
      { role: 'tool', tool_call_id: 'b', content: 'text' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0=' } }] },
    ]);
  });

  test('P80: a model without eyes gets a note with type and size, and never base64', () => {
    const body = bodyOf(transcript);
    expect(body.messages[3]?.content).toContain('image/png, 5 bytes; not shown');
    expect(JSON.stringify(body)).not.toContain('iVBORw0');
  });

  test('P80: a result that is an image alone is not empty', () => {
    expect(messagesOf([user('look'), calls([shot]), result(shot, '', { metadata })]).at(-1)?.content).toMatch(/^\[image: image\/png/);
  });

  test('P80: images of a user go to a model with eyes, joined with what follows', () => {
    const image = { type: 'image_url' as const, image_url: { url: 'https://pictures.test/cat.png' } };
    const withImage = user('what is it?', { contentParts: [{ type: 'text', text: 'what is it?' }, image] });
    expect(messagesOf([withImage, user('quick')], { model: { ...model, vision: true } })[1]?.content).toEqual([
      { type: 'text', text: 'what is it?' },
      image,
      { type: 'text', text: 'quick' },
    ]);
    expect(messagesOf([withImage])[1]?.content).toBe('what is it?\n[image: not shown, since this model takes no images]');
  });
});

describe('the parameters', () => {
  test('P85, P86: usage is asked for, parallel_tool_calls is not sent', () => {
    const body = bodyOf([user('hi')]);
    expect(body).toMatchObject({ model: 'm', stream: true, stream_options: { include_usage: true } });
    expect(body).not.toHaveProperty('parallel_tool_calls');
  });

  test('P86: stream_options is left out where it was refused, and without a stream', () => {
    expect(bodyOf([user('hi')], { learnt: { streamUsage: false } })).not.toHaveProperty('stream_options');
    const whole = bodyOf([user('hi')], { model: { ...model, stream: false } });
    expect(whole.stream).toBe(false);
    expect(whole).not.toHaveProperty('stream_options');
  });

  test('R32: the parameters of the agent go along as they are, but cannot replace what is ours', () => {
    const parameters = { temperature: 0, reasoning_effort: 'low', messages: [], model: 'x', stream: false };
    expect(bodyOf([user('hi')], { model: { ...model, parameters } })).toMatchObject({
      temperature: 0,
      reasoning_effort: 'low',
      model: 'm',
      stream: true,
      messages: [{ role: 'system' }, { role: 'user' }],
    });
  });

  test('P91: without tools there is no tools, tool_choice or parallel_tool_calls', () => {
    const body = bodyOf([user('hi')], {
      tools: [],
      model: { ...model, parameters: { tool_choice: 'auto', parallel_tool_calls: false, top_p: 1 } },
    });
    expect(Object.keys(body).sort()).toEqual(['messages', 'model', 'stream', 'stream_options', 'top_p']);
  });

  test('P91: with tools the agent may set tool_choice', () => {
    expect(bodyOf([user('hi')], { model: { ...model, parameters: { tool_choice: 'required' } } })).toMatchObject({
      tool_choice: 'required',
    });
  });

  test('P92: where the family demands it, calls of the history are defined', () => {
    const a = call('a', 'gone');
    const transcript = [user('x'), calls([a]), result(a, 'r')];
    expect(bodyOf(transcript, { tools: [], model: at('http://gateway.test/v1', 'claude-x') }).tools).toEqual([
      {
        type: 'function',
        function: { name: 'gone', description: 'Not available any more.', parameters: { type: 'object', properties: {} } },
      },
    ]);
    expect(bodyOf(transcript, { tools: [] })).not.toHaveProperty('tools');
  });

  test('R83: names are encoded in tools and history alike', () => {
    const a = call('a', 'files/read');
    const body = bodyOf([user('x'), calls([a]), result(a, 'r')], {
      tools: exposeTools([{ tool: tool('files/read') }, { tool: tool('files_read') }]),
    });
    const names = (body.tools as readonly { readonly function: { readonly name: string } }[]).map((entry) => entry.function.name);
    expect(names[1]).toBe('files_read');
    expect(names[0]).toMatch(/^files_read_[0-9a-f]{8}$/);
    expect(body.messages[2]?.tool_calls?.[0]).toMatchObject({ function: { name: names[0] } });
  });

  test('P71: the name of an unknown tool in the history is made acceptable', () => {
    expect(faultsOf(bodyOf([user('x'), calls([call('a', 'no such/tool!'), call('b', '')])]))).toEqual([]);
  });
});

describe('a form for the final answer', () => {
  const output = { name: 'verdict', schema: { type: 'object', properties: { ok: { type: 'boolean' } } } };

  test('R32: without tools it is the parameter of the provider', () => {
    expect(bodyOf([user('x')], { tools: [], output }).response_format).toEqual({ type: 'json_schema', json_schema: output });
  });

  test('R32: beside tools it is asked for in words where the family is not known to take both', () => {
    const body = bodyOf([user('x')], { output });
    expect(body).not.toHaveProperty('response_format');
    expect(body.messages[0]?.content).toContain(JSON.stringify(output.schema));
    expect(bodyOf([user('x')], { output, model: { name: 'gpt-5' } })).toHaveProperty('response_format');
  });

  test('P86: after a refusal it is asked for in words', () => {
    const body = bodyOf([user('x')], { tools: [], output, learnt: { responseFormat: false } });
    expect(body).not.toHaveProperty('response_format');
    expect(body.messages[0]?.content).toContain('JSON Schema');
  });
});
