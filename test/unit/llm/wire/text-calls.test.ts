import type { TurnAnswer } from '../../../../src/domain/turn';
import { textToolCalls } from '../../../../src/llm/middleware/text-tool-calls';
import { textAnswer, toolCallsAnswer } from '../../../../src/testing/scripted-answers';
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

const TYPED = { type: 'object', properties: { path: { type: 'string' }, n: { type: 'number' }, city: { type: 'string' } } };
const TOOLS = {
  ...Object.fromEntries(['w', 'f', 'g', 'rm', 'save', 'write', 'add', 'search', 'get_w'].map((name) => [name, OBJECT_SCHEMA])),
  read: TYPED,
  get_w: TYPED,
};

async function answerTo(text: string, options: TurnOptions & { readonly reasoning?: string } = {}): Promise<TurnAnswer> {
  const { reasoning, ...turn } = options;
  await model.push(textAnswer(text, reasoning === undefined ? {} : { reasoning }));
  return (await turns.run({ tools: TOOLS, before: textToolCalls, ...turn })).answer;
}

const accepted = (name: string, args: object): object => ({ kind: 'accepted', name, arguments: args });
const rejectedOf = (answer: TurnAnswer): string => {
  const [call] = answer.calls;
  if (call?.kind !== 'rejected') throw new Error(`expected one rejected call, got ${JSON.stringify(answer.calls)}`);
  return call.answer;
};

test('R44, P55: nested braces and line feeds', async () => {
  const answer = await answerTo(
    String.raw`<tool_call>` + '\n' + String.raw`{"name":"w","arguments":{"o":{"x":{"y":1}},"t":"if (a) { b }\n}"}}` + '\n</tool_call>',
  );
  expect(answer.calls).toMatchObject([accepted('w', { o: { x: { y: 1 } }, t: 'if (a) { b }\n}' })]);
  expect(answer.content).toBeNull();
});

test('R44: text around a block stays, the record keeps the block, a repeated call counts once', async () => {
  const block = '<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>';
  const answer = await answerTo(`Let me look.\n${block}\n${block}\n<tool_call>{"name":"f","arguments":{"a":2}}</tool_call>`);
  expect(answer.calls).toMatchObject([accepted('f', { a: 1 }), accepted('f', { a: 2 })]);
  expect(answer.content).toBe('Let me look.');
  expect(answer.metadata.text_tool_calls).toContain(block);
});

test('R44: native calls win, and the text is left alone', async () => {
  const text = '<tool_call>{"name":"f","arguments":{}}</tool_call>';
  await model.push(toolCallsAnswer([{ name: 'g' }], { text }));
  const { answer } = await turns.run({ tools: TOOLS, before: textToolCalls });
  expect(answer).toMatchObject({ content: text, calls: [accepted('g', {})] });
});

test('R44: the family of the model or the agent asks for it; otherwise the text is text', async () => {
  const text = '<tool_call>{"name":"f","arguments":{}}</tool_call>';
  const run = async (options: TurnOptions): Promise<TurnAnswer> => {
    await model.push(textAnswer(text));
    return (await turns.run({ tools: TOOLS, ...options })).answer;
  };
  expect((await run({ model: { name: 'Qwen3-8B' } })).calls).toHaveLength(1);
  expect((await run({ agent: { textToolCalls: true } })).calls).toHaveLength(1);
  expect(await run({})).toMatchObject({ calls: [], content: text });
  expect(await run({ model: { name: 'Qwen3-8B' }, agent: { textToolCalls: false } })).toMatchObject({ calls: [], content: text });
});

test('P56: the closing tag inside a string ends nothing', async () => {
  expect(
    (await answerTo('<tool_call>{"name":"write","arguments":{"text":"ends with </tool_call> here"}}</tool_call>')).calls,
  ).toMatchObject([accepted('write', { text: 'ends with </tool_call> here' })]);
});

test('P56: without a closing tag a whole call is a call, and a cut one is answered', async () => {
  expect((await answerTo('<tool_call>{"name":"f","arguments":{}}')).calls).toMatchObject([accepted('f', {})]);
  expect(rejectedOf(await answerTo('<tool_call>{"name":"f","arguments":{"a":'))).toContain('ends before its JSON does');
});

test('P56: an opener that is written twice, and a mark of the end that the server let through', async () => {
  expect((await answerTo('<tool_call>\n<tool_call>\n{"name":"f","arguments":{}}\n</tool_call>')).calls).toMatchObject([accepted('f', {})]);
  expect(await answerTo('[TOOL_CALLS] [{"name":"f","arguments":{}}]</s>')).toMatchObject({ calls: [accepted('f', {})], content: null });
  expect((await answerTo('{"name":"f","parameters":{}}<|eot_id|>\n')).calls).toMatchObject([accepted('f', {})]);
});

test('P58: single quotes are answered with the place, and never repaired', async () => {
  const answer = await answerTo("<tool_call>{'name':'f','arguments':{'a':True,}}</tool_call>");
  expect(answer.calls).toMatchObject([{ kind: 'rejected', name: 'f', argumentsRaw: "{'name':'f','arguments':{'a':True,}}" }]);
  expect(rejectedOf(answer)).toMatch(/not valid JSON.*At character 2.*double quotes/s);
});

test('P58: quotes inside a string are text', async () => {
  expect((await answerTo(`<tool_call>{"name":"f","arguments":{"t":"it's 'so', ok,}"}}</tool_call>`)).calls).toMatchObject([
    accepted('f', { t: "it's 'so', ok,}" }),
  ]);
});

test('P59: a raw line feed in a string, a literal \\n before the object, and two objects in one block', async () => {
  expect(rejectedOf(await answerTo('<tool_call>{"name":"w","arguments":{"t":"l1\nl2"}}</tool_call>'))).toContain('line feed');
  expect(rejectedOf(await answerTo(String.raw`<tool_call>\n{"name":"w","arguments":{}}</tool_call>`))).toContain('not valid JSON');
  expect((await answerTo('<tool_call>{"name":"f","arguments":{}} {"name":"g","arguments":{}}</tool_call>')).calls).toMatchObject([
    accepted('f', {}),
    accepted('g', {}),
  ]);
});

test('P59: something after the object that is no call is answered, and the call is not run', async () => {
  expect(rejectedOf(await answerTo('<tool_call>{"name":"f","arguments":{}}}</tool_call>'))).toContain(
    'something follows the end of the JSON',
  );
});

test('P61: a call in thoughts is not run', async () => {
  const thought = 'Maybe <tool_call>{"name":"rm","arguments":{}}</tool_call>? No.';
  expect(await answerTo(`<think>${thought}</think>Nothing to do.`)).toMatchObject({
    calls: [],
    content: 'Nothing to do.',
    reasoningContent: thought,
  });
  expect(await answerTo('Nothing to do.', { reasoning: thought })).toMatchObject({ calls: [], content: 'Nothing to do.' });
  expect(await answerTo(`Well. <think>${thought}</think>Nothing.`)).toMatchObject({ calls: [] });
});

test('P61: an example in a code fence, in quotes or in prose is not run and stays', async () => {
  const block = '<tool_call>{"name":"rm","arguments":{}}</tool_call>';
  for (const text of [
    `Write it so:\n\`\`\`xml\n${block}\n\`\`\``,
    `Write \`${block}\`.`,
    'Put it between <tool_call> and </tool_call> tags.',
    `~~~\n${block}`,
  ]) {
    expect(await answerTo(text)).toMatchObject({ calls: [], content: text });
  }
});

test('P61: an example stays one in a list, in a quoted line and between quotation marks', async () => {
  const block = '<tool_call>{"name":"rm","arguments":{}}</tool_call>';
  for (const text of [
    `1. Write it so:\n     \`\`\`xml\n     ${block}\n     \`\`\``,
    `- \`\`\`\n  ${block}\n  \`\`\``,
    `> \`\`\`\n> ${block}\n> \`\`\``,
    `He sent\n> ${block}`,
    `He sent "${block}" once.`,
    `He sent “${block}” once.`,
  ]) {
    expect(await answerTo(text)).toMatchObject({ calls: [], content: text });
  }
  expect((await answerTo(`He said "no"${block}`)).calls).toMatchObject([accepted('rm', {})]);
});

test('P61: a call in a thought that was never closed is not run, and stays to be seen', async () => {
  const thought = 'Maybe <tool_call>{"name":"rm","arguments":{}}</tool_call>';
  expect(await answerTo(`<think>${thought}`)).toMatchObject({ calls: [], content: thought });
});

test('P61: a call before a closer whose opener stood in the prompt is not run', async () => {
  const thought = 'Maybe <tool_call>{"name":"rm","arguments":{}}</tool_call>';
  expect(await answerTo(`${thought}</think>No.`)).toMatchObject({ calls: [], content: 'No.', reasoningContent: thought });
});

test('R44, P62: fenced actions of models named deepseek, with fences inside', async () => {
  const text = '```json\n{"action":"save","action_input":{"md":"# T\\n```js\\nlet a=1\\n```\\n"}}\n```';
  const answer = await answerTo(`I save it.\n${text}`, { model: { name: 'My-DeepSeek-V3' } });
  expect(answer.calls).toMatchObject([accepted('save', { md: '# T\n```js\nlet a=1\n```\n' })]);
  expect(answer.content).toBe('I save it.');
  expect(await answerTo(text)).toMatchObject({ calls: [], content: text });
});

test('P62: fenced JSON of another kind is text, and a broken action is answered', async () => {
  const deepseek = { model: { name: 'deepseek-chat' } };
  expect(await answerTo('```json\n{"result": 1}\n```', deepseek)).toMatchObject({ calls: [] });
  expect(rejectedOf(await answerTo('```json\n{"action":"save","action_input":{"a":1,}}\n```', deepseek))).toContain('not valid JSON');
});

test.each([
  [
    'whole',
    '<tool_call>\n<function=read>\n<parameter=path>\na.txt\n</parameter>\n<parameter=n>\n3\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'without the opener',
    '<function=read>\n<parameter=path>\na.txt\n</parameter>\n<parameter=n>\n3\n</parameter>\n</function>\n</tool_call>',
  ],
  ['without closing parameters', '<tool_call>\n<function=read>\n<parameter=path>\na.txt\n<parameter=n>\n3\n</function>\n</tool_call>'],
])("P64: the form of Qwen's coder models (%s)", async (_name, text) => {
  expect((await answerTo(text)).calls).toMatchObject([accepted('read', { path: 'a.txt', n: 3 })]);
});

test('P64: values keep their lines, their fences and their tags', async () => {
  const value = '# T\n```js\nlet a = "<b>"\n```\nsee </parameter> here';
  expect(
    (await answerTo(`<tool_call>\n<function=read>\n<parameter=path>\n${value}\n</parameter>\n</function>\n</tool_call>`)).calls,
  ).toMatchObject([accepted('read', { path: value })]);
});

const READ = '<tool_call>\n<function=read>\n<parameter=path>\na.txt';

test.each(['length', 'stop'])('P40, P64: a value that the end of the text cuts is not run (%s)', async (finishReason) => {
  for (const text of [READ, '<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a.txt']) {
    await model.push(textAnswer(text, { finishReason }));
    const { answer } = await turns.run({ tools: TOOLS, before: textToolCalls });
    expect(rejectedOf(answer)).toContain('arguments were cut off');
    expect(answer.content).toBeNull();
  }
});

test('P40, P64: between two values the output limit cuts as well; otherwise a missing tag is forgiven', async () => {
  const text = `${READ}\n</parameter>\n`;
  await model.push(textAnswer(text, { finishReason: 'length' }));
  expect(rejectedOf((await turns.run({ tools: TOOLS, before: textToolCalls })).answer)).toContain('cut off by the output limit');
  expect((await answerTo(text)).calls).toMatchObject([accepted('read', { path: 'a.txt' })]);
});

test('P64: without an opener nothing of the block stays, and True is a boolean where the schema says so', async () => {
  const text = '<function=f>\n<parameter=ok>\nTrue\n</parameter>\n<parameter=__proto__>\n{"x":1}\n</parameter>\n</function>\n</tool_call>';
  const tools = { f: { type: 'object', properties: { ok: { type: 'boolean' } } } };
  const answer = await answerTo(text, { tools });
  expect(answer).toMatchObject({ content: null, calls: [{ kind: 'accepted', name: 'f' }] });
  expect(answer.calls[0]?.argumentsRaw).toBe('{"ok":true,"__proto__":"{\\"x\\":1}"}');
});

test('P65: the form of GLM', async () => {
  expect(
    (
      await answerTo(
        '<tool_call>get_w\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>n</arg_key><arg_value>2</arg_value>\n</tool_call>',
      )
    ).calls,
  ).toMatchObject([accepted('get_w', { city: 'Oslo', n: 2 })]);
  expect(rejectedOf(await answerTo('<tool_call>get_w(city="Oslo")</tool_call>'))).toContain(
    '<tool_call>{"name": "…", "arguments": {…}}</tool_call>',
  );
});

test('P66: the mark of Mistral, with a list or with names', async () => {
  expect((await answerTo('[TOOL_CALLS] [{"name":"add","arguments":{"a":1}}]')).calls).toMatchObject([accepted('add', { a: 1 })]);
  expect((await answerTo('[TOOL_CALLS]add[ARGS]{"a":1}')).calls).toMatchObject([accepted('add', { a: 1 })]);
});

test('P66: the mark of Mistral with an id; what is no JSON after it is answered, and a mark in prose is prose', async () => {
  expect((await answerTo('[TOOL_CALLS]add[CALL_ID]abc123456[ARGS]{"a":1}')).calls).toMatchObject([accepted('add', { a: 1 })]);
  expect(rejectedOf(await answerTo("[TOOL_CALLS][{'name':'add','arguments':{}}]"))).toContain('not valid JSON');
  expect(rejectedOf(await answerTo('[TOOL_CALLS][{"name":"add","argu'))).toContain('ends before its JSON does');
  expect(await answerTo('The mark [TOOL_CALLS] is used.')).toMatchObject({ calls: [], content: 'The mark [TOOL_CALLS] is used.' });
});

test('P67: the marker of Llama, and a bare object that is all there is', async () => {
  expect((await answerTo('<|python_tag|>{"name":"add","parameters":{"a":1}}')).calls).toMatchObject([accepted('add', { a: 1 })]);
  expect((await answerTo('<|python_tag|>{"name":"add","parameters":{"a":1}}; {"name":"f","parameters":{}}')).calls).toHaveLength(2);
  expect((await answerTo('{"type":"function","name":"add","parameters":{"a":1}}')).calls).toMatchObject([accepted('add', { a: 1 })]);
  expect((await answerTo('{"name":"add","parameters":{"a":1}}; {"name":"f","parameters":{}}')).calls).toHaveLength(2);
});

test('P67: the marker of Granite and Phi', async () => {
  expect(await answerTo('<|tool_call|>[{"name":"add","arguments":{"a":1}}]<|/tool_call|>')).toMatchObject({
    calls: [accepted('add', { a: 1 })],
    content: null,
  });
  expect(rejectedOf(await answerTo("<|tool_call|>[{'name':'add'}]"))).toContain('not valid JSON');
});

test('P67: an object that is no known call is text', async () => {
  for (const text of ['{"name":"Ada","parameters":{"a":1}}', 'Send {"name":"add","parameters":{"a":1}}', '{"sum":42}']) {
    expect(await answerTo(text)).toMatchObject({ calls: [], content: text });
  }
});

test('P68: the tokens of DeepSeek, older and newer', async () => {
  const older =
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n{"a":1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>';
  expect(await answerTo(older)).toMatchObject({ calls: [accepted('add', { a: 1 })], content: null });
  const newer = '<｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a":1}<｜tool▁call▁end｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜>';
  expect(await answerTo(`Now.${newer}`, { model: { name: 'deepseek-r1' } })).toMatchObject({
    calls: [accepted('add', { a: 1 }), accepted('f', {})],
    content: 'Now.',
  });
});

test('P69: the tokens of Kimi', async () => {
  const text =
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|><|tool_calls_section_end|>';
  expect(await answerTo(text)).toMatchObject({ calls: [accepted('add', { a: 1 })], content: null });
});

test('P70: the channels of gpt-oss in the text', async () => {
  const text = '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"q":"x"}<|call|>';
  expect(await answerTo(text)).toMatchObject({ calls: [accepted('search', { q: 'x' })], content: null });
});

test('P70: the recipient may stand before the channel', async () => {
  const text = '<|start|>assistant to=functions.search<|channel|>commentary json<|message|>{"q":"x"}<|call|>';
  expect(await answerTo(text)).toMatchObject({ calls: [accepted('search', { q: 'x' })], content: null });
});

test('P71: an unknown tool in a block is answered with the names there are', async () => {
  expect(rejectedOf(await answerTo('<tool_call>{"name":"serch","arguments":{}}</tool_call>'))).toContain('there is no tool "serch"');
});
