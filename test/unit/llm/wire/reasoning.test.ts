import { deltaAnswer } from '../../../../src/testing/scripted-answers';
import { startScriptedModel, type ScriptedModel } from '../../../../src/testing/scripted-model';
import { OBJECT_SCHEMA, WireTurns, type TurnOptions } from './support/wire-turn';

let model: ScriptedModel;
let turns: WireTurns;
beforeAll(async () => {
  model = await startScriptedModel();
  turns = new WireTurns(model);
});
afterEach(() => model.clear());
afterAll(async () => {
  await turns.clients.close();
  await model.stop();
});

async function turnOf(deltas: readonly object[], { finish = 'stop', ...options }: TurnOptions & { readonly finish?: string } = {}) {
  await model.push(deltaAnswer(deltas, { finishReason: finish }));
  return turns.run(options);
}

const texts = (...pieces: readonly string[]): readonly object[] => pieces.map((content) => ({ content }));

test.each([
  ['reasoning', { reasoning: 'Hm' }],
  ['reasoning_content', { reasoning_content: 'Hm' }],
  ['both', { reasoning: 'Hm', reasoning_content: 'Hm' }],
  ['thought', { thought: 'Hm' }],
  ['details beside it', { reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm', index: 0 }] }],
  ['a list', { reasoning: [{ type: 'text', text: 'H' }, 'm'] }],
  ['details alone', { reasoning_details: [{ type: 'reasoning.text', text: 'Hm', index: 0 }] }],
])('P43: reasoning is read once, whatever its field (%s)', async (_name, delta) => {
  const turn = await turnOf([delta, { content: 'Yes' }]);
  expect(turn.answer).toMatchObject({ reasoningContent: 'Hm', content: 'Yes' });
  expect(turn.reasoning).toBe('Hm');
});

test('P43: a thought that is true is a mark and no text', async () => {
  expect((await turnOf([{ content: 'Yes', thought: true }])).answer).toMatchObject({ reasoningContent: null, content: 'Yes' });
});

test('P44: reasoning beside calls is kept unchanged', async () => {
  const call = { index: 0, id: 'p', type: 'function', function: { name: 'now', arguments: '{}' } };
  const { answer } = await turnOf([{ content: '', reasoning_content: 'Need date.' }, { tool_calls: [call] }], {
    tools: { now: OBJECT_SCHEMA },
  });
  expect(answer).toMatchObject({ reasoningContent: 'Need date.', content: null, calls: [{ kind: 'accepted' }] });
});

test('P47: reasoning details are merged by index, in order, and encrypted data is no text', async () => {
  const { answer } = await turnOf([
    { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'A' }] },
    { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'B', signature: 'c2ln' }] },
    { reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'ZW5j', id: 'r1' }] },
    { content: 'Yes' },
  ]);
  expect(answer.providerExtras).toEqual({
    reasoning_details: [
      { type: 'reasoning.text', index: 0, text: 'AB', signature: 'c2ln' },
      { type: 'reasoning.encrypted', index: 1, data: 'ZW5j', id: 'r1' },
    ],
  });
  expect(answer.reasoningContent).toBe('AB');
  expect(answer.metadata.made_by).toEqual(expect.any(String));
});

test('P49: a thinking block is kept to the byte, with the signature that came later', async () => {
  const { answer } = await turnOf([
    { thinking_blocks: [{ type: 'thinking', thinking: '  Plan', signature: '' }] },
    { thinking_blocks: [{ type: 'thinking', thinking: '.\n', signature: '' }] },
    { thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'Rk9P' }] },
    { thinking_blocks: [{ type: 'redacted_thinking', data: 'x' }] },
    { content: 'Yes' },
  ]);
  expect(answer.providerExtras).toEqual({
    thinking_blocks: [
      { type: 'thinking', thinking: '  Plan.\n', signature: 'Rk9P' },
      { type: 'redacted_thinking', data: 'x' },
    ],
  });
  expect(answer.reasoningContent).toBe('  Plan.\n');
});

test('P49: what a provider adds to a call is kept by the place of the call', async () => {
  const extra = { google: { thought_signature: 'c2ln' } };
  const { answer } = await turnOf(
    [
      {
        tool_calls: [
          { index: 0, id: 'p', function: { name: 'f', arguments: '{}' } },
          { index: 1, id: 'q', function: { name: 'f', arguments: '{"a":1}' }, extra_content: extra },
        ],
      },
    ],
    { tools: { f: OBJECT_SCHEMA } },
  );
  expect(answer.providerExtras).toEqual({ tool_calls: [null, { extra_content: extra }] });
});

test('P50: a thought at the start is no answer, wherever its tags are cut', async () => {
  const turn = await turnOf(texts('<th', 'ink>Sum is 4.</thi', 'nk>\n\nIt is 4.'));
  expect(turn.answer).toMatchObject({ reasoningContent: 'Sum is 4.', content: 'It is 4.', errorMessage: null });
  expect([turn.reasoning, turn.text]).toEqual(['Sum is 4.', 'It is 4.']);
});

test.each([
  ['<thought>', '</thought>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
])('P50: a thought between %s and %s is none of the answer', async (opener, closer) => {
  const turn = await turnOf(texts(...`${opener}Sum is [4].${closer}It is 4.`));
  expect(turn.answer).toMatchObject({ reasoningContent: 'Sum is [4].', content: 'It is 4.' });
  expect([turn.reasoning, turn.text]).toEqual(['Sum is [4].', 'It is 4.']);
});

test('P43, P50: a thought that comes in a field and between tags counts once', async () => {
  const { answer } = await turnOf([{ reasoning_content: 'Hm' }, { content: '<think>Hm</think>Yes' }]);
  expect(answer).toMatchObject({ reasoningContent: 'Hm', content: 'Yes' });
});

test('P50: a thought that the limit cut is all reasoning', async () => {
  const { answer } = await turnOf(texts('<think>Sum is'), { finish: 'length' });
  expect(answer).toMatchObject({
    reasoningContent: 'Sum is',
    content: null,
    errorMessage: expect.stringContaining('output limit') as string,
  });
});

test('P50: a thought that was never closed stays visible where it is all there is', async () => {
  expect((await turnOf(texts('<think>Sum is 4.'))).answer).toMatchObject({ content: 'Sum is 4.', reasoningContent: null });
});

test('P50: a tag further on in prose is prose', async () => {
  expect((await turnOf(texts('use the <think> tag, like `<think>a</think>`'))).answer.content).toBe(
    'use the <think> tag, like `<think>a</think>`',
  );
});

test('P52: later blocks of a model that thinks aloud are thoughts as well', async () => {
  expect((await turnOf(texts('<think>a</think>One<think>b</think> two'))).answer).toMatchObject({
    content: 'One two',
    reasoningContent: 'ab',
  });
});

test('P50: a thought whose opener stood in the prompt ends at its closer', async () => {
  expect((await turnOf(texts('Sum is 4.\n</think>\n\nIt is 4.'))).answer).toMatchObject({
    content: 'It is 4.',
    reasoningContent: 'Sum is 4.\n',
  });
});

test.each(['</think>It is 4.', '</think>\nIt is 4.'])('P50: a lone closer needs no blank line (%j)', async (end) => {
  expect((await turnOf(texts(`Sum is 4.${end}`))).answer).toMatchObject({ content: 'It is 4.', reasoningContent: 'Sum is 4.' });
});

test('P50: a lone closer in prose or code is text, and so is one with nothing behind it', async () => {
  for (const text of ['Write </think> to end it.', 'End it with </think>.', 'text.split("</think>")', 'Sum is 4.</think>']) {
    expect((await turnOf(texts(text))).answer).toMatchObject({ content: text, reasoningContent: null });
  }
});

test('P53: reasoning without an answer keeps its reasoning and an error, and is no content', async () => {
  const { answer } = await turnOf([{ reasoning_content: 'The answer is 12.' }]);
  expect(answer).toMatchObject({
    content: null,
    reasoningContent: 'The answer is 12.',
    calls: [],
    errorMessage: expect.stringContaining('no answer') as string,
  });
});

test("R34: a refusal in pieces is the answer's text, and marked", async () => {
  const { answer } = await turnOf([{ refusal: 'I can' }, { refusal: 'not.' }]);
  expect(answer).toMatchObject({ content: 'I cannot.', metadata: { refusal: true } });
});
