import fc from 'fast-check';
import { applyView, contextTokens, findView, viewStamp } from '../../../../src/llm/context/context-view';
import { narrowView } from '../../../../src/llm/context/narrow-view';
import { buildChatRequest } from '../../../../src/llm/request/build-chat-request';
import { faultsOf } from '../support/check-request';
import { answer, call, calls, result, system, user } from '../support/transcript';

const strategy = { kind: 'drop-oldest' as const, keepTurns: 2 };
const placed = <Message extends object>(messages: readonly Message[]) => messages.map((message, index) => ({ ...message, seq: index + 1 }));

describe('the view of a long transcript', () => {
  test('R41: tokens are those that the last answer reported, and an estimate of what came after', () => {
    expect(contextTokens([user('hi'), answer('ok', { metadata: { context_tokens: 500 } }), user('x'.repeat(40))])).toBe(510);
    expect(contextTokens([user('hi'), answer('ok')])).toBe(0);
  });

  test('R41: a view that was stamped is found again, and what is no view is not', () => {
    const view = { fromSeq: 7, summary: 'S' };
    expect(findView([answer('a', { metadata: viewStamp(view) }), answer('b')])).toEqual(view);
    expect(findView([answer('a', { metadata: { context_view: 'x' } })])).toBeUndefined();
    expect(findView([])).toBeUndefined();
  });

  test('R41: the task and system rows stay, with the summary behind the task', () => {
    const transcript = placed([system('rules'), user('the task'), answer('a'), user('b'), answer('c')]);
    expect(applyView(transcript, { fromSeq: 5, summary: 'S' }).map((message) => message.content)).toEqual([
      'rules',
      'the task',
      '[Summary of the conversation up to here]\nS',
      'c',
    ]);
  });

  test('R41: nothing leaves where only the turns to keep are there', () => {
    expect(narrowView(placed([user('t'), answer('a'), user('b'), answer('c')]), { strategy, tokens: 100, allowed: 1 })).toBeUndefined();
  });

  test('R41: no more leaves than is needed', () => {
    const transcript = placed([
      user('t'),
      ...Array.from({ length: 10 }, (_, index) => [answer(`${index}`.padEnd(100, 'x')), user('q')]).flat(),
    ]);
    const few = narrowView(transcript, { strategy, tokens: 1000, allowed: 1600 }) ?? 0;
    const many = narrowView(transcript, { strategy, tokens: 1000, allowed: 400 }) ?? 0;
    expect(few).toBeGreaterThan(1);
    expect(many).toBeGreaterThan(few);
  });

  test('P73: any cut gives a valid request, with the turns to keep', () => {
    const turn = fc.oneof(
      fc.string({ minLength: 1 }).map((text) => [answer(text), user('next')]),
      fc.array(fc.string(), { minLength: 1, maxLength: 3 }).map((results) => {
        const made = results.map(() => call('x'));
        return [calls(made), ...made.map((toolCall, index) => result(toolCall, results[index] ?? ''))];
      }),
    );
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 12 }), fc.integer({ min: 0, max: 2000 }), (turns, allowed) => {
        const transcript = placed([user('the task'), ...turns.flat()]);
        const fromSeq = narrowView(transcript, { strategy, tokens: 1000, allowed });
        const seen = applyView(transcript, fromSeq === undefined ? undefined : { fromSeq });
        const body = buildChatRequest({ model: { name: 'm' }, instructions: 'x', transcript: seen, tools: [] });
        expect(faultsOf(body)).toEqual([]);
        expect(seen.filter((message) => message.role === 'assistant').length).toBeGreaterThanOrEqual(Math.min(2, turns.length));
        expect(seen).toContainEqual(transcript[0]);
      }),
    );
  });
});
