import fc from 'fast-check';
import type { TranscriptMessage, TranscriptToolCall } from '../../../../src/domain/message';
import { buildChatRequest } from '../../../../src/llm/request/build-chat-request';
import { faultsOf } from '../support/check-request';
import { answer, call, calls, offered, result, row, system, user } from '../support/transcript';

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('', ' ', 'a\0b', '\uD83D', '\uDE42x', '<think>x</think>'),
  fc.string({ unit: 'binary' }),
);
const args = fc.oneof(fc.json(), fc.constantFrom('', '{}', '{"a":', 'null', '[1]', '{"a":"\\u0000\\ud800"}'), fc.string());
const name = fc.oneof(fc.constantFrom('f', 'files/read', 'files_read', '', '9lives', 'ü', 'x'.repeat(80)), fc.string());
const providerId = fc.constantFrom('', 'a', 'b', 'call_0', 'functions.search:0', 'x'.repeat(50), 'Abc123xyZ', 'with space');
const hidden = fc.boolean().map((isHidden) => ({ isHidden }));

interface CallPlan {
  readonly providerId: string;
  readonly name: string;
  readonly args: string;
  readonly results: readonly string[];
}

/** One turn with calls: its results in any order, missing, or twice; with or without a reference. */
const group = fc
  .record({
    content: fc.option(text),
    plans: fc.array(fc.record({ providerId, name, args, results: fc.array(text, { maxLength: 2 }) }), { minLength: 1, maxLength: 4 }),
    isReversed: fc.boolean(),
    isLoose: fc.boolean(),
    steering: fc.option(text),
    fields: hidden,
  })
  .map(({ content, plans, isReversed, isLoose, steering, fields }): readonly TranscriptMessage[] => {
    const made = plans.map((plan: CallPlan): readonly [TranscriptToolCall, CallPlan] => [
      call(plan.providerId, plan.name, plan.args),
      plan,
    ]);
    const results = made.flatMap(([toolCall, plan]) =>
      plan.results.map((content) => result(toolCall, content, isLoose ? { toolCallRef: null } : {})),
    );
    return [
      calls(
        made.map(([toolCall]) => toolCall),
        { content, ...fields },
      ),
      ...(steering === null ? [] : [user(steering)]),
      ...(isReversed ? results.reverse() : results),
    ];
  });

const entry = fc.oneof(
  group,
  text.map((content) => [user(content)]),
  fc.option(text).map((content) => [answer(content)]),
  text.map((content) => [system(content)]),
  text.map((content) => [row({ role: 'tool', content, toolCallProviderId: 'a' })]),
  fc
    .constantFrom<TranscriptMessage['status']>('pending', 'processing', 'failed')
    .map((status) => [answer('half', { status, isHidden: true })]),
);

const transcript = fc.tuple(fc.array(entry, { maxLength: 12 }), fc.nat(), fc.nat()).map(([entries, from, to]) => {
  const all = entries.flat();
  const start = all.length === 0 ? 0 : from % all.length;
  return all.slice(start, start + (to % (all.length + 1)));
});

/** System rows of the host may stand anywhere; the check knows them at the beginning only. */
const withoutSystem = (messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] =>
  messages.filter((message) => message.role !== 'system');

const model = { name: 'm', baseURL: 'http://provider.test/v1' };

describe('a request of any transcript, cut anywhere', () => {
  test('P73: is valid for a strict provider', () => {
    fc.assert(
      fc.property(transcript, fc.string(), (messages, instructions) => {
        const body = buildChatRequest({
          model,
          instructions,
          transcript: withoutSystem(messages),
          tools: offered('f', 'files/read', 'files_read'),
        });
        expect(faultsOf(body)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('P76, P79: is valid for Mistral', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const body = buildChatRequest({
          model: { ...model, name: 'mistral-small' },
          instructions: 'x',
          transcript: withoutSystem(messages),
          tools: [],
        });
        expect(faultsOf(body, /^[a-zA-Z0-9]{9}$/)).toEqual([]);
        const roles = (body.messages as readonly { readonly role: string }[]).map((message) => message.role);
        expect(roles.some((role, index) => role === 'user' && roles[index - 1] === 'tool')).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test('R32: is the same each time, and changes nothing that it was given', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const before = JSON.stringify(messages);
        const build = () => JSON.stringify(buildChatRequest({ model, instructions: 'x', transcript: messages, tools: [] }));
        expect(build()).toBe(build());
        expect(JSON.stringify(messages)).toBe(before);
      }),
      { numRuns: 100 },
    );
  });
});
