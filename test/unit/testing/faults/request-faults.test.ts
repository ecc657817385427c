/** The independent check of requests: it takes what is valid, and names each fault. */

import { findRequestFaults } from '../../../../src/testing/faults/request-faults';

const user = { role: 'user', content: 'hello' };
const call = (id: string, name = 'add', text = '{}') => ({ id, type: 'function', function: { name, arguments: text } });
const asking = (...calls: readonly object[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const result = (id: string, content = '3') => ({ role: 'tool', tool_call_id: id, content });

describe('a request', () => {
  it.each([
    ['a first message', [user]],
    ['a system message first', [{ role: 'system', content: 'Be kind' }, user]],
    ['results in call order', [user, asking(call('a'), call('b')), result('a'), result('b')]],
    ['a message after the results', [user, asking(call('a')), result('a'), { role: 'assistant', content: 'done' }, user]],
  ])('R32: with %s is taken', (_what, messages) => {
    expect(findRequestFaults({ messages })).toEqual([]);
  });

  it.each([
    ['no messages', [], 'no messages'],
    ['an unknown role', [user, { role: 'robot', content: 'x' }, user], 'role robot'],
    ['an empty message', [user, { role: 'user', content: ' ' }], 'is empty'],
    ['an assistant message that says nothing', [user, { role: 'assistant', content: '' }, user], 'says nothing'],
    ['a call without an id', [user, asking(call('')), result('')], 'without id'],
    ['a call with a name that is refused', [user, asking(call('a', 'a/b')), result('a')], 'without id, type or name'],
    ['arguments that are not JSON', [user, asking(call('a', 'add', '{')), result('a')], 'not a JSON object'],
    ['arguments that are no object', [user, asking(call('a', 'add', '[]')), result('a')], 'not a JSON object'],
    ['a missing result', [user, asking(call('a'), call('b')), result('a')], 'last 1 results are missing'],
    ['a message before the results', [user, asking(call('a')), user, result('a')], 'comes before 1 results'],
    ['results out of order', [user, asking(call('a'), call('b')), result('b'), result('a')], 'not in call order'],
    ['a result twice', [user, asking(call('a')), result('a'), result('a')], 'answers no call'],
    ['an id twice', [user, asking(call('a')), result('a'), asking(call('a')), result('a')], 'again'],
    ['no user first', [{ role: 'assistant', content: 'hello' }, user], 'begins with the role assistant'],
    ['an assistant message last', [user, { role: 'assistant', content: 'hello' }], 'ends with the role assistant'],
  ])('R32: with %s is refused', (_what, messages, words) => {
    expect(findRequestFaults({ messages }).join('; ')).toContain(words);
  });
});
