import fc from 'fast-check';
import { createNameEncoder, exposeTools } from '../../../../src/llm/request/expose-tools';
import { tool } from '../support/transcript';

const exposedNames = (...names: readonly string[]): readonly string[] =>
  exposeTools(names.map((name) => ({ tool: tool(name) }))).map((offered) => offered.exposedName);

describe('names of tools', () => {
  test('R83: an accepted name stays as it is', () => {
    expect(exposedNames('find_book', 'a-b')).toEqual(['find_book', 'a-b']);
  });

  test.each([
    ['files/read', 'files_read'],
    ['a.b c', 'a_b_c'],
    ['9lives', '_9lives'],
    ['', '_'],
  ])('R83: %j is offered as %j', (name, exposed) => {
    expect(exposedNames(name)).toEqual([exposed]);
  });

  test('R83: names that would fall together are told apart, and the plain one keeps its name wherever it stands', () => {
    const [first, second, plain] = exposedNames('a/b', 'a.b', 'a_b');
    expect(plain).toBe('a_b');
    expect(new Set([first, second, plain]).size).toBe(3);
  });

  test('R83: a tool that comes twice is offered once', () => {
    expect(exposedNames('f', 'f')).toEqual(['f']);
  });

  test('R83: any names are offered under acceptable names without clashes that map back', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.oneof(fc.string(), fc.constantFrom('a/b', 'a.b', 'a_b', 'x'.repeat(64), `${'x'.repeat(64)}y`, `${'x'.repeat(64)}z`)),
        ),
        (names) => {
          const offered = exposeTools(names.map((name) => ({ tool: tool(name) })));
          const exposed = offered.map((entry) => entry.exposedName);
          expect(new Set(exposed).size).toBe(names.length);
          for (const name of exposed) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
          expect(offered.map((entry) => entry.tool.name)).toEqual(names);
        },
      ),
    );
  });

  test('R83: a name of the history does not take the name of an offered tool', () => {
    const nameOf = createNameEncoder(exposeTools([{ tool: tool('a/b') }]));
    expect(nameOf('a/b')).toBe('a_b');
    expect(nameOf('a_b')).not.toBe('a_b');
    expect(nameOf('a_b')).toBe(nameOf('a_b'));
  });
});
