import fc from 'fast-check';
import type { StreamItem } from '../../../../src/client/stream';
import { LiveView } from '../../../../src/cli/render/live-view';
import { PLAIN } from '../../../../src/cli/render/paint';
import { type Generation, type LoopId, type MessageId, type ToolCallId, toId } from '../../../../src/domain/ids';
import type { LivePart } from '../../../../src/domain/live-part';
import type { Loop } from '../../../../src/domain/loop';
import type { TranscriptMessage } from '../../../../src/domain/message';
import { anyLoop } from '../../../support/any-loop';

const loopId = toId<LoopId>('7');
const generation = toId<Generation>('1');

const part = (given: LivePart): StreamItem => ({ type: 'part', loopId, generation, offset: 0, part: given });
const text = (value: string) => part({ type: 'text-delta', text: value });
const reasoning = (value: string) => part({ type: 'reasoning-delta', text: value });
const superseded: StreamItem = { type: 'superseded', loopId, generation };
const loop = (changes: Partial<Loop>): StreamItem => ({
  type: 'loop',
  loopId,
  loop: anyLoop({ id: loopId, agentName: 'assistant', ...changes }),
});

function message(changes: Partial<TranscriptMessage>): StreamItem {
  const whole: TranscriptMessage = {
    id: toId<MessageId>('1'),
    loopId,
    seq: 1,
    turnNumber: 1,
    role: 'assistant',
    kind: 'plain',
    status: 'success',
    isHidden: false,
    content: null,
    reasoningContent: null,
    toolCalls: [],
    toolCallRef: null,
    toolCallProviderId: null,
    providerExtras: null,
    metadata: {},
    errorMessage: null,
    createdAt: new Date(0),
    ...changes,
  };
  return { type: 'message', loopId, message: whole };
}

const add = { id: toId<ToolCallId>('31'), providerId: 'call_1', name: 'add', arguments: '{"a":17,"b":25}' };
const result = (content: string) => message({ role: 'tool', toolCallRef: add.id, content });

function show(...items: readonly StreamItem[]): string {
  const view = new LiveView(PLAIN);
  return items.map((item) => view.push(item)).join('');
}

test('a loop reads from its question to its cost', () => {
  const counters = { ...anyLoop().counters, steps: 2, tokensTotal: 1234, tokensPrompt: 820, tokensCompletion: 414, cost: '0.0012000000' };
  const ended = { status: 'completed', counters, createdAt: new Date(0), statusChangedAt: new Date(3400) } as const;
  const shown = show(
    loop({ status: 'running' }),
    message({ role: 'user', content: 'What is 17 plus 25?' }),
    text('Let me '),
    text('add.'),
    message({ content: 'Let me add.', toolCalls: [add] }),
    part({ type: 'tool-start', callId: 'call_1', name: 'add' }),
    result('42'),
    text('It is 42.'),
    message({ content: 'It is 42.' }),
    loop(ended),
  );
  expect(shown).toBe(`loop 7 · assistant

› What is 17 plus 25?

Let me add.

→ add {"a":17,"b":25}
← add 42

It is 42.

✓ completed · 2 turns · 1,234 tokens (820 in, 414 out) · $0.0012 · 3.4 s
`);
});

test('an answer that was not streamed is shown whole', () => {
  expect(show(message({ content: 'It is 42.' }))).toBe('It is 42.\n');
});

test('the canonical text completes what was streamed of it', () => {
  expect(show(text('It is'), message({ content: 'It is 42.\n\n' }), message({ content: 'Next.' }))).toBe('It is 42.\n\nNext.\n');
});

test('an attempt that was cut off is told, and the next one starts on a line of its own', () => {
  expect(show(text('Once upon'), superseded, text('It is 42.'), message({ content: 'It is 42.' }))).toBe(
    'Once upon\n\n(this attempt was cut off)\n\nIt is 42.\n',
  );
});

test('an attempt of which nothing was shown is cut off without a word', () => {
  expect(show(text('\n'), superseded, text('It is 42.'))).toBe('It is 42.');
});

test('reasoning stands apart from the answer', () => {
  expect(show(reasoning('17 + 25'), reasoning(' = 42'), text('\n\nIt is 42.'), message({ content: '\n\nIt is 42.' }))).toBe(
    '17 + 25 = 42\n\nIt is 42.\n',
  );
});

test('a pause says how to go on, and so does a freeze', () => {
  expect(show(loop({ status: 'paused' }))).toContain('paused; go on with: solidloop resume 7\n');
  expect(show(loop({ status: 'paused', adminFrozen: true }))).toContain('frozen; go on with: solidloop unfreeze 7\n');
});

test('a failure says its code and its text', () => {
  expect(show(loop({ status: 'failed', errorCode: 'ProviderFinal', errorMessage: 'HTTP 401: no such key' }))).toContain(
    'ProviderFinal: HTTP 401: no such key\n',
  );
});

test('an unknown price is not shown as free', () => {
  const counters = { ...anyLoop().counters, costKnown: false };
  expect(show(loop({ status: 'completed', counters }))).toContain('cost unknown');
});

test('R6: what was paid for answers that were thrown away is told apart', () => {
  const counters = { ...anyLoop().counters, cost: '0.5', costKnown: true, costDiscarded: '0.25' };
  expect(show(loop({ status: 'completed', counters }))).toContain('$0.50 + $0.25 for answers thrown away');
});

test('what is waited for is told while no line is open, until the end', () => {
  const view = new LiveView(PLAIN);
  const statuses = [
    loop({ status: 'queued' }),
    part({ type: 'status', status: 'asking the model' }),
    text('Let me'),
    message({ content: 'Let me add.', toolCalls: [add] }),
    part({ type: 'tool-start', callId: 'call_1', name: 'add' }),
    result('42'),
    loop({ status: 'completed' }),
  ].map((item) => {
    view.push(item);
    return view.status;
  });
  expect(statuses).toEqual(['queued', 'asking the model', undefined, 'running tools', 'calling add', 'next turn', undefined]);
});

test('nothing that a model or a tool writes can steer the terminal', () => {
  const attack = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202e';
  const shown = show(
    text(attack),
    message({ content: attack, toolCalls: [{ ...add, name: attack, arguments: attack }], errorMessage: attack }),
    result(attack),
  );
  expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
});

test('the same answer, cut anywhere, is shown the same', () => {
  const answers = fc.string({ unit: 'grapheme', maxLength: 40 }).map((answer) => `It 😀 is\n${answer}`);
  fc.assert(
    fc.property(answers, fc.array(fc.nat({ max: 60 }), { maxLength: 6 }), (answer, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, answer.length)).toSorted((a, b) => a - b), answer.length];
      const deltas = places.slice(1).map((end, index) => text(answer.slice(places[index], end)));
      expect(show(...deltas, message({ content: answer }))).toBe(show(message({ content: answer })));
    }),
  );
});
