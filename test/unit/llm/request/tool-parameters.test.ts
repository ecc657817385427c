import { exposeTools } from '../../../../src/llm/request/expose-tools';
import { toolParameters } from '../../../../src/llm/request/tool-parameters';
import { tool } from '../support/transcript';

const offered = exposeTools([{ tool: tool('orders.find') }, { tool: tool('add') }]);
const [found] = offered.map(({ exposedName }) => exposedName);
const choiceOf = (choice: unknown) => toolParameters({ tool_choice: choice }, offered).tool_choice;

test('R83: a tool that is forced is asked for by the name that the server was told', () => {
  expect(found).not.toBe('orders.find');
  expect(choiceOf({ type: 'function', function: { name: 'orders.find' } })).toEqual({ type: 'function', function: { name: found } });
  expect(choiceOf({ type: 'function', name: 'orders.find' })).toEqual({ type: 'function', name: found });
  const allowed = [
    { type: 'function', name: 'orders.find' },
    { type: 'function', name: 'add' },
  ];
  expect(choiceOf({ type: 'allowed_tools', mode: 'auto', tools: allowed })).toEqual({
    type: 'allowed_tools',
    mode: 'auto',
    tools: [{ type: 'function', name: found }, allowed[1]],
  });
});

test('R83: a word, and a name that is nobody’s, go as they are', () => {
  expect(choiceOf('required')).toBe('required');
  expect(choiceOf({ type: 'function', function: { name: 'elsewhere' } })).toEqual({ type: 'function', function: { name: 'elsewhere' } });
  expect(toolParameters({}, offered)).toEqual({});
});
