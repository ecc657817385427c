import type { ParsedCall, TurnAnswer } from '../../../../src/domain/turn';
import { UNKNOWN_USAGE } from '../../../../src/domain/usage';
import { withoutRepetition } from '../../../../src/llm/parsing/repeated-faults';
import { call, calls, result, user } from '../support/transcript';

const rejected: ParsedCall = { kind: 'rejected', providerId: 'p', name: 'serch', argumentsRaw: '{}', answer: 'there is no tool "serch"' };
const answer = (...parsed: readonly ParsedCall[]): TurnAnswer => ({
  content: null,
  reasoningContent: null,
  calls: parsed,
  toolCallsRaw: null,
  providerExtras: null,
  metadata: {},
  usage: UNKNOWN_USAGE,
  timings: { timeToFirstToken: null, thinking: null, generation: 0, tokensPerSecond: null },
  cost: { amountUsd: '0', isKnown: false },
  errorMessage: null,
});
const faultyTurns = (count: number, text = rejected.answer) =>
  Array.from({ length: count }, () => call('p', 'serch')).flatMap((made) => [calls([made]), result(made, text)]);

test('P71: the same faulty call five times in a row ends with a message', () => {
  const ended = withoutRepetition(answer(rejected), [user('go'), ...faultyTurns(4)]);
  expect(ended).toMatchObject({ calls: [], errorMessage: expect.stringContaining('5 times in a row: there is no tool "serch"') as string });
});

test('P71: fewer times, another fault between, or a word of a person, and the model is told once more', () => {
  const goesOn = (transcript: Parameters<typeof withoutRepetition>[1]): void =>
    expect(withoutRepetition(answer(rejected), transcript).calls).toEqual([rejected]);
  goesOn([user('go'), ...faultyTurns(3)]);
  goesOn([user('go'), ...faultyTurns(2), ...faultyTurns(1, 'another'), ...faultyTurns(1)]);
  goesOn([...faultyTurns(3), user('try "search"'), ...faultyTurns(1)]);
});

test('P71: a turn with a call that may be run goes on', () => {
  const accepted: ParsedCall = { kind: 'accepted', providerId: 'q', name: 'f', arguments: {}, argumentsRaw: '{}', effect: 'read' };
  expect(withoutRepetition(answer(rejected, accepted), [user('go'), ...faultyTurns(6)]).calls).toHaveLength(2);
});
