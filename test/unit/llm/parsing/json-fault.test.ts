import fc from 'fast-check';
import { findJsonFault } from '../../../../src/llm/parsing/json-fault';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** JSON with one character taken out, put in or changed. */
const anyNearJson = fc
  .tuple(
    fc.json(),
    fc.nat({ max: 200 }),
    fc.constantFrom('', ',', '"', "'", '{', '}', ']', '\\', '\n', '0', '-', 'tru', ':', '\u0001', '1e'),
    fc.nat({ max: 1 }),
  )
  .map(([json, place, put, taken]) => json.slice(0, place % (json.length + 1)) + put + json.slice((place % (json.length + 1)) + taken));

test('R39: a fault is found exactly where the platform finds no JSON', () => {
  const agrees = (text: string): void => expect([text, findJsonFault(text) === undefined]).toEqual([text, isJson(text)]);
  fc.assert(fc.property(fc.oneof(fc.json(), anyNearJson, fc.string()), agrees), { numRuns: 5_000 });
});

test('P40: every beginning of an object is cut, and says so', () => {
  const text = '{"path":"a\\u00e9\\n","n":[1.5e-3,true,null,{}]}';
  for (let end = 1; end < text.length; end += 1) {
    const fault = findJsonFault(text.slice(0, end));
    if (/[\d-]$|e$|\.$/.test(text.slice(0, end)) && fault?.isCut !== true) continue; // a number that is cut may be whole, or be at fault
    expect([text.slice(0, end), fault?.isCut, fault?.offset]).toEqual([text.slice(0, end), true, end]);
  }
});

test.each([
  [`{'a':1}`, 1, 'single quotes'],
  ['{"a":1,}', 7, 'a comma stands before the closing brace'],
  ['{"a":True}', 5, 'True is not JSON'],
  ['{"a" 1}', 5, 'a colon'],
  ['{"a":1 "b":2}', 7, 'a comma or a closing brace'],
  ['{"a":"l1\nl2"}', 8, 'a line feed'],
  ['{"a":"\\x"}', 6, 'a backslash'],
  ['{"a":1}}', 7, 'something follows'],
  ['{"a":01}', 6, 'a comma or a closing brace'],
])('R39: the place and the problem of %s', (text, offset, problem) => {
  expect(findJsonFault(text)).toMatchObject({ offset, problem: expect.stringContaining(problem) as string, isCut: false });
});

test('R39: arguments that are nested without end are at fault', () => {
  expect(findJsonFault(`{"a":${'['.repeat(600)}${']'.repeat(600)}}`)).toMatchObject({
    problem: expect.stringContaining('deeper than 500') as string,
  });
});
