import fc from 'fast-check';
import { findTextCalls } from '../../../../src/llm/parsing/text-calls/find-text-calls';
import { offered } from '../support/transcript';

const TOOLS = offered('f', 'g');
const PIECES = [
  '<tool_call>',
  '</tool_call>',
  '{"name":"f","arguments":{}}',
  '{"name":"f","arguments":{"a":"</tool_call>"}}',
  '{',
  '}',
  '<function=f>',
  '</function>',
  '<parameter=a>',
  '</parameter>',
  '<arg_key>',
  '</arg_key>',
  '<arg_value>',
  '</arg_value>',
  '```',
  '\n```json\n',
  '~~~',
  '`',
  '<think>',
  '</think>',
  '<|python_tag|>',
  '[TOOL_CALLS]',
  '<｜tool▁call▁begin｜>',
  '<｜tool▁sep｜>',
  '<｜tool▁call▁end｜>',
  '<|tool_call_begin|>',
  '<|tool_call_argument_begin|>',
  '<|channel|>commentary to=f<|message|>',
  '\n',
  ' ',
  ';',
  '"action"',
  '"action_input"',
  'text',
];
const anyText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 5 })), { maxLength: 14 })
  .map((parts) => parts.join(''));

test('R44: reading never throws, and every character is in a block or in the content', () => {
  fc.assert(
    fc.property(anyText, fc.boolean(), (text, readsActions) => {
      const found = findTextCalls(text, { tools: TOOLS, readsActions });
      const visible = (part: string): number => part.replace(/\s/g, '').length;
      expect(visible(found.content) + found.blocks.reduce((sum, block) => sum + visible(block), 0)).toBe(visible(text));
      expect(found.calls.length > 0).toBe(found.blocks.length > 0);
    }),
    { numRuns: 1_500 },
  );
});

test('R44: a call is read whatever stands in its arguments', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(fc.constantFrom(...PIECES), fc.string())), (values) => {
      const text = `Now. <tool_call>${JSON.stringify({ name: 'f', arguments: values })}</tool_call> Done.`;
      const found = findTextCalls(text, { tools: TOOLS, readsActions: false });
      expect(found.calls).toEqual([{ name: 'f', arguments: JSON.parse(JSON.stringify(values)) as unknown }]);
      expect(found.content).toBe('Now.  Done.');
    }),
    { numRuns: 1_000 },
  );
});

test("P64: what a value of Qwen's form holds is kept, but for its own closing tags", () => {
  const free = fc.string({ unit: 'grapheme' }).filter((text) => !/<\/?(parameter|function|tool_call)|^\r?\n|\r?\n$|\r$/.test(text));
  fc.assert(
    fc.property(free, (value) => {
      const text = `<tool_call>\n<function=f>\n<parameter=a>\n${value}\n</parameter>\n</function>\n</tool_call>`;
      expect(findTextCalls(text, { tools: TOOLS, readsActions: false }).calls).toEqual([{ name: 'f', arguments: { a: value } }]);
    }),
  );
});

/** Were it read anew at each marker, the test's own time limit would end it. */
test('R44: a long text full of markers is read once', () => {
  const text = '<tool_call>'.repeat(40_000) + '<tool_call>{</tool_call>'.repeat(10_000);
  expect(findTextCalls(text, { tools: TOOLS, readsActions: true }).content).not.toBe('');
});

test.each([
  ['fences that never close', '\n```json\n{"action":"f","action_input":'],
  ['spaces after a fence', `\n\`\`\`${' '.repeat(1_000)}`],
  ['spaces after a name', `[TOOL_CALLS]f${' '.repeat(1_000)}`],
  ['values that never close', '</arg_key><arg_value>'],
  ['arguments that never close', '<|tool_call_begin|>f<|tool_call_argument_begin|>{"a":'],
])('R44: a long text is looked through in bounded time (%s)', (_name, piece) => {
  const started = performance.now();
  findTextCalls(`<tool_call>f<arg_key>${piece.repeat(Math.ceil(100_000 / piece.length))}`, { tools: TOOLS, readsActions: true });
  findTextCalls(piece.repeat(Math.ceil(100_000 / piece.length)), { tools: TOOLS, readsActions: true });
  expect(performance.now() - started).toBeLessThan(3_000);
});
