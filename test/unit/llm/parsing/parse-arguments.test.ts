import { parseArguments } from '../../../../src/llm/parsing/parse-arguments';

test('P77: arguments inside a string go back to the model as the object that was run', () => {
  const inner = '{"a": 1}';
  expect(parseArguments(JSON.stringify(inner))).toEqual({ kind: 'object', value: { a: 1 }, raw: inner });
});

test('P26: what is no object keeps its text as it came', () => {
  expect(parseArguments('"a word"')).toEqual({ kind: 'not-an-object', raw: '"a word"' });
  expect(parseArguments('[1]')).toEqual({ kind: 'not-an-object', raw: '[1]' });
});
